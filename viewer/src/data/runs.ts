// A run ready to be looked at: its motion, events and channels under one name.
import { Channels } from "./channels";
import type { RunHeader, Summary } from "./contract";
import { Events } from "./events";
import { Pieces } from "./pieces";
import type { Data } from "./read";

export interface Run {
  index: number;
  label: string;
  header: RunHeader;
  pieces: Pieces;
  events: Events;
  channels: Channels;
  summary: Summary;
}

// All runs of a page; labels are made different where they are not.
export function open_runs(data: Data): Run[] {
  const taken = new Set<string>();
  return data.header.runs.map((header, index) => {
    let label = header.label ?? (data.header.runs.length === 1 ? "run" : `run ${index + 1}`);
    if (taken.has(label)) label = `${label} (${index + 1})`;
    taken.add(label);
    return {
      index,
      label,
      header,
      pieces: new Pieces(data, header.pieces, data.header.variables.length),
      events: new Events(data, header),
      channels: new Channels(data, header),
      summary: header.summary ?? {},
    };
  });
}
