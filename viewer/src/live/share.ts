// A text in an address, compressed; and bytes from what stands in the page.
import { bytes_of_base64 } from "../data/read";

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  writer.write(bytes as BufferSource).catch(() => undefined);
  writer.close().catch(() => undefined);
  return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

export async function text_to_link(text: string): Promise<string> {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function text_from_link(code: string): Promise<string> {
  const bytes = bytes_of_base64(code.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream("deflate-raw")));
}

// What an element of the page carries: base64 of a text or of compressed bytes.
export async function unpacked(id: string): Promise<Uint8Array | undefined> {
  const holder = document.getElementById(id);
  if (!holder?.textContent?.trim()) return undefined;
  return through(bytes_of_base64(holder.textContent), new DecompressionStream("deflate"));
}

export const base64_of_text = (text: string): string => {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
};

// A short name for a text, to tell texts apart.
export function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return `${text.length.toString(36)}-${hash.toString(36)}`;
}
