/// The little of MPI that a sweep needs, as functions of C that a loaded module offers: messages of bytes, one kind of them. What fails ends all processes, as is MPI's way.
#pragma once

#include <cstddef>

extern "C" {

/// Joins the processes started together: which one this is, and how many there are. 0 if it worked.
int zwang_mpi_join(int* rank, int* size);
/// Has a message come, from whom, of how many bytes? 1 or 0; never waits.
int zwang_mpi_probe(int* from, std::size_t* bytes);
void zwang_mpi_receive(int from, char* message, std::size_t bytes);
void zwang_mpi_send(int to, const char* message, std::size_t bytes);
/// The last word: messages sent have arrived.
void zwang_mpi_leave();
}

namespace zwang::cli {

struct MpiFunctions {
  decltype(&zwang_mpi_join) join = nullptr;
  decltype(&zwang_mpi_probe) probe = nullptr;
  decltype(&zwang_mpi_receive) receive = nullptr;
  decltype(&zwang_mpi_send) send = nullptr;
  decltype(&zwang_mpi_leave) leave = nullptr;
};

}  // namespace zwang::cli
