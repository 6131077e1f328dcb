// From the text in the page to a header and arrays: base64, zlib, "ZWPG", a JSON header, a blob of aligned numbers.
import type { Block, Header } from "./contract";

// What is wrong with the data, and what its reader can do about it.
export class DataError extends Error {
  constructor(
    readonly what: string,
    readonly advice: string,
  ) {
    super(what);
    this.name = "DataError";
  }
}

export type Numbers = Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array;

const known_format = 1;
const write_again = "Ask whoever sent it for the whole file, or write the page anew with “zwang run”.";

// The bytes that a base64 text stands for.
export function bytes_of_base64(text: string): Uint8Array {
  let binary: string;
  try {
    binary = atob(text.trim());
  } catch {
    throw new DataError("The data of this page is damaged: it is not a base64 text.", write_again);
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Zlib data made large again.
export async function inflate(bytes: Uint8Array): Promise<ArrayBuffer> {
  if (typeof DecompressionStream === "undefined")
    throw new DataError(
      "This browser cannot unpack the data of the page.",
      "Please open it in a browser of 2023 or later: Chromium, Firefox and Safari all can.",
    );
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();

  // Errors of the writing side show up on the reading side too; here they would only be reported twice.
  writer.write(bytes as BufferSource).catch(() => undefined);
  writer.close().catch(() => undefined);
  try {
    return await new Response(stream.readable).arrayBuffer();
  } catch {
    throw new DataError("The data of this page ends too early or is damaged.", write_again);
  }
}

// The header and the place of the blob in an inflated buffer, whatever the page shows.
export function parted<H extends { format?: number }>(buffer: ArrayBuffer): Data<H> {
  const view = new DataView(buffer);
  const magic = buffer.byteLength >= 8 ? String.fromCharCode(...new Uint8Array(buffer, 0, 4)) : "";
  if (magic !== "ZWPG")
    throw new DataError("The data in this page was not written by zwang.", "Write a page with “zwang run MODEL” and open that.");
  const length = view.getUint32(4, true);
  if (8 + length > buffer.byteLength) throw new DataError("The data of this page ends within its header.", write_again);
  let header: H;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(buffer, 8, length))) as H;
  } catch {
    throw new DataError("The header of this page's data cannot be read.", write_again);
  }
  if (typeof header.format === "number" && header.format > known_format)
    throw new DataError(
      `The data of this page has format ${header.format}; this viewer knows formats up to ${known_format}.`,
      "Write the page anew with one and the same version of zwang.",
    );
  return new Data(header, buffer, 8 + length);
}

// The same of a page that shows runs.
export function split(buffer: ArrayBuffer): Data {
  const data = parted<Header>(buffer);
  const { header } = data;
  if (!Array.isArray(header.runs) || header.runs.length === 0 || !Array.isArray(header.variables))
    throw new DataError("There is no run in the data of this page.", write_again);
  return data;
}

// Header and numbers of one page.
export class Data<H = Header> {
  constructor(
    readonly header: H,
    private readonly buffer: ArrayBuffer,
    private readonly blob: number,
  ) {}

  // The numbers of a block as they lie there, without a copy; quantised ones stay quantised.
  raw(block: Block): Numbers {
    const at = this.blob + block.at;
    const size = { f64: 8, f32: 4, u32: 4, u16: 2, u8: 1 }[block.type];
    if (size === undefined) throw new DataError(`A block of unknown type “${block.type}” is in the data.`, write_again);
    if (!(block.at >= 0) || !(block.count >= 0) || at + block.count * size > this.buffer.byteLength)
      throw new DataError("The data of this page ends before its last number.", write_again);
    switch (block.type) {
      case "f64":
        return new Float64Array(this.buffer, at, block.count);
      case "f32":
        return new Float32Array(this.buffer, at, block.count);
      case "u32":
        return new Uint32Array(this.buffer, at, block.count);
      case "u16":
        return new Uint16Array(this.buffer, at, block.count);
      case "u8":
        return new Uint8Array(this.buffer, at, block.count);
    }
  }

  // The numbers of a block, quantised ones decoded.
  numbers(block: Block): Numbers {
    const raw = this.raw(block);
    if (block.type !== "u16" || block.low === undefined || block.high === undefined) return raw;
    const step = (block.high - block.low) / 65534;
    const decoded = new Float64Array(block.count);
    for (let i = 0; i < raw.length; i++) {
      const code = raw[i] as number;
      decoded[i] = code === 65535 ? NaN : block.low + step * code;
    }
    return decoded;
  }
}

// The data of a base64 text.
export async function read_data(text: string): Promise<Data> {
  if (text.trim() === "") throw new DataError("The place for the data of this page is empty.", write_again);
  return split(await inflate(bytes_of_base64(text)));
}
