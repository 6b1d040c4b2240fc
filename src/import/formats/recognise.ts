import { Problem } from '../../errors/problem.ts';
import { macroFormats } from './macro-formats.ts';
import { lookAlike } from './unsupported.ts';
import { secFormats } from './sec/sec-formats.ts';
import { type Format, refusal, type SourceFile } from './format.ts';
import { treasuryFormats } from './treasury/treasury-formats.ts';

/** Every format that `asof import` reads. */
export const formats: readonly Format[] = [...macroFormats, ...treasuryFormats, ...secFormats];

const kinds = formats.map(({ kind }) => kind).join(', ');

/** The format of a file: the one of that `kind`, or else the one that its content shows; a file of none is refused with what it seems to be. */
export async function recognise(file: SourceFile, kind?: string): Promise<Format> {
  const chosen = kind === undefined ? undefined : formatOfKind(kind);
  const head = await file.head();
  if (head.length === 0) throw refusal(file, {}, 'the file is empty (0 bytes)');
  if (isUtf16(head)) throw refusal(file, {}, 'the text is UTF-16; save it as UTF-8');
  if (chosen !== undefined) return chosen;
  const text = headText(head);
  const [format, other] = formats.filter((candidate) => candidate.recognise(text, file.name));
  if (format === undefined) throw unknown(file, text);
  if (other === undefined) return format;
  throw refusal(file, {}, `could be ${format.kind} or ${other.kind}`, ['--kind KIND says which it is']);
}

function formatOfKind(kind: string): Format {
  const format = formats.find((candidate) => candidate.kind === kind);
  if (format !== undefined) return format;
  throw new Problem('bad-input', `there is no kind of file ${JSON.stringify(kind)}`, {
    field: 'kind',
    hints: [`the kinds are ${kinds}`],
  });
}

/** By its byte-order mark, or by every other byte of its first characters being zero. */
function isUtf16(head: Buffer): boolean {
  return /^(?:\xff\xfe|\xfe\xff|(?:[\t-~]\0){4}|(?:\0[\t-~]){4})/.test(head.toString('latin1'));
}

/** Text without its byte-order mark and without a character cut in two at the end; binary content byte by byte. */
function headText(head: Buffer): string {
  if (isBinary(head)) return head.toString('latin1');
  return new TextDecoder('utf-8').decode(head, { stream: true });
}

function isBinary(head: Buffer): boolean {
  if (head.includes(0)) return true;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return false;
  } catch {
    return true;
  }
}

function unknown(file: SourceFile, text: string): Problem {
  const hints = [`--kind KIND says what it is: ${kinds}`];
  const guess = lookAlike(text);
  if (guess !== undefined) return refusal(file, {}, `this looks like ${guess}`, hints);
  return refusal(file, {}, `no format that asof reads; it starts with ${beginning(text)}`, hints);
}

/** The first line with anything in it, as far as it serves to see what the file is. */
function beginning(text: string): string {
  const line = text.split(/[\r\n]+/).find((candidate) => candidate.trim() !== '') ?? '';
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}
