// Look up each quote of a result in the transcript of its alias.
// usage: npx tsx check_quotes.ts STATE RESULT

import { readFileSync } from "node:fs";

interface Person {
  alias: string;
  file: string;
}

const QUOTE = /["“]([^"“”]+)["”]\s*\((P\d+), \d\d:\d\d:\d\d\)/g;

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

// The parts between cuts and additions must stand in the transcript, in their order.
function found(quote: string, text: string): boolean {
  let from = 0;
  for (const part of quote.split(/\[[^\]]*\]/).map(plain)) {
    if (!part) continue;
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}

function main(stateFile?: string, resultFile?: string): number {
  if (!stateFile || !resultFile) {
    console.error("usage: check_quotes.ts STATE RESULT");
    return 2;
  }
  const people: Person[] = JSON.parse(readFileSync(stateFile, "utf-8")).interviews;
  const result = readFileSync(resultFile, "utf-8");
  const texts = new Map<string, string>();
  for (const [, quote, alias] of result.matchAll(QUOTE)) {
    const person = people.find((one) => one.alias === alias);
    if (!person) {
      console.log(`${alias}: no such person: ${quote}`);
      continue;
    }
    if (!texts.has(alias)) {
      const segments: { text: string }[] = JSON.parse(readFileSync(person.file, "utf-8")).segments;
      texts.set(alias, plain(segments.map((one) => one.text).join(" ")));
    }
    if (!found(quote, texts.get(alias)!)) console.log(`${alias}: not found: ${quote}`);
  }
  return 0;
}

process.exitCode = main(process.argv[2], process.argv[3]);
