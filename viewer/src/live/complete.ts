// What may stand where something is typed: tables and keys from the schema, names and functions within expressions.

export interface Completion {
  word: string;
  what: string;
  // What replaces the `typed` letters before the caret.
  insert: string;
  typed: number;
}

interface Schema {
  description?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
}

const functions = "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max clip step floor mod if table spline sum dot cross norm distance axis".split(" ");

// The tables and keys of a text: where the names of points, parameters and the like come from.
function names(text: string): Map<string, string> {
  const found = new Map<string, string>([["t", "the time"], ["pi", "3.14159…"]]);
  let table = "";
  for (const line of text.split("\n")) {
    const head = /^\s*\[\[?\s*([\w.]+)\s*\]\]?/.exec(line);
    if (head) {
      table = head[1] as string;
      const [group, name] = table.split(".");
      if (name && ["points", "bodies", "coordinates"].includes(group as string)) found.set(name, group === "points" ? "a point" : group === "bodies" ? "a body" : "a coordinate");
      continue;
    }
    const key = /^\s*([A-Za-z_]\w*)\s*=/.exec(line);
    if (key && table === "parameters") found.set(key[1] as string, "a parameter");
  }
  return found;
}

// The schema of a table such as points.a or simulation.
function of_table(schema: Schema, table: string): Schema | undefined {
  let here: Schema | undefined = schema;
  for (const part of table.split(".").filter(Boolean)) {
    const next: Schema | undefined = here?.properties?.[part] ?? (typeof here?.additionalProperties === "object" ? here.additionalProperties : undefined);
    here = next?.items ?? next;
  }
  return here;
}

export function completions(text: string, at: number, schema: unknown, asked: boolean): Completion[] {
  if (!schema) return [];
  const root = schema as Schema;
  const before = text.slice(0, at);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  if (/^[^"']*#/.test(line)) return [];
  const offer = (list: Iterable<[string, string]>, typed: string, insert: (word: string) => string): Completion[] =>
    [...list]
      .filter(([word]) => word !== typed && word.toLowerCase().startsWith(typed.toLowerCase()))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([word, what]) => ({ word, what, insert: insert(word), typed: typed.length }));

  // A table's head.
  const head = /^\s*\[{1,2}\s*([\w]*)$/.exec(line);
  if (head) {
    const tables = Object.entries(root.properties ?? {}).filter(([, part]) => part.type === "object" || part.type === "array");
    return offer(tables.map(([name, part]) => [name, part.description ?? ""]), head[1] as string, (word) => word);
  }

  // Within quotes, an expression.
  const quotes = (line.match(/"/g) ?? []).length;
  const word = /[A-Za-z_]\w*$/.exec(line)?.[0] ?? "";
  if (quotes % 2 === 1) {
    if (word === "" && !asked) return [];
    const known = names(text);
    const list: [string, string][] = [...known, ...functions.map((name): [string, string] => [name, "a function"])];
    return offer(list, word, (name) => (functions.includes(name) && !known.has(name) ? `${name}(` : name));
  }

  // A key, at the beginning of a line or in an inline table.
  const start = /^\s*([A-Za-z_]\w*)?$/.exec(line);
  const inline = /[{,]\s*([A-Za-z_]\w*)?$/.exec(line);
  if ((!start && !(inline && line.includes("{"))) || (word === "" && !asked)) return [];
  const heads = [...before.matchAll(/^\s*\[{1,2}\s*([\w.]+)\s*\]{1,2}/gm)];
  const table = heads.at(-1)?.[1] ?? "";
  let here = of_table(root, table);
  if (inline && !start) {
    const key = /^\s*([A-Za-z_]\w*)\s*=/.exec(line)?.[1] ?? "";
    here = of_table(root, `${table}.${key}`);
    here = here?.properties ? here : here?.anyOf?.find((one) => one.properties);
  }
  const keys = Object.entries(here?.properties ?? {}).filter(([, part]) => table !== "" || part.type !== "object" || start === null);
  return offer(keys.map(([name, part]) => [name, part.description ?? ""]), word, (name) => `${name} = `);
}
