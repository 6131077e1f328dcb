/// MPI behind five functions: the only source that sees it, and a module of its own.
#include "cli/mpi/module.hpp"

#include <mpi.h>

extern "C" {

int zwang_mpi_join(int* rank, int* size) {
  // Other threads of a process never call MPI.
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return 1;
  if (provided < MPI_THREAD_FUNNELED) return 1;
  return MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS && MPI_Comm_size(MPI_COMM_WORLD, size) == MPI_SUCCESS ? 0
                                                                                                                  : 1;
}

int zwang_mpi_probe(int* from, std::size_t* bytes) {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return 0;
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  *from = status.MPI_SOURCE;
  *bytes = static_cast<std::size_t>(count);
  return 1;
}

void zwang_mpi_receive(int from, char* message, std::size_t bytes) {
  MPI_Recv(message, static_cast<int>(bytes), MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void zwang_mpi_send(int to, const char* message, std::size_t bytes) {
  MPI_Send(message, static_cast<int>(bytes), MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

void zwang_mpi_leave() { MPI_Finalize(); }
}
