// Why: docs/decisions/python.md
import { addAbortSignal, type Readable } from 'node:stream';
import type { Demands } from '../answering/basis.ts';
import type { Query, Question } from '../answering/question.ts';
import type { Client } from '../client/client.ts';
import { didYouMean } from '../domain/search/words.ts';
import { Problem, type ProblemKind, wireVoice } from '../errors/problem.ts';
import { problemOf } from '../errors/system-errors.ts';
import { camelCase, type Field } from '../operations/field.ts';
import type { Naming } from '../operations/operation.ts';
import { snakeCase } from '../operations/param.ts';
import { isPlain, type NamedValues } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { type Output, print } from '../platform/sink.ts';
import { questions } from '../questions/table.ts';
import { Session, unknownName } from './call.ts';
import { type Answered, allRows, answering, type LibrarySource, signatureOf } from './methods.ts';

const byName = new Map(Object.values<Question>(questions).map((one) => [one.name, one]));

/** Names of questions and parameters as a line has them. */
const lineNaming: Naming = {
  question({ name }, values = {}) {
    const named = Object.entries(values).map(([param, value]) => `${param}=${JSON.stringify(value)}`);
    return `${name}(${named.join(', ')})`;
  },
  param: (name, value) =>
    value === undefined ? `'${snakeCase(name)}'` : `${snakeCase(name)}=${JSON.stringify(value)}`,
  // With a noun, the contract leaves out the value.
  refused: ({ noun: _, param = 'value', ...refusal }) =>
    wireVoice.refused({ ...refusal, param: snakeCase(param) }),
  lead: (words) => `${words} `,
  kind: 'bad-input',
};

/** Where questions come from, and what answers them. */
type LineSource = {
  readonly client: Client;
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  readonly stdin: Readable;
  readonly stdout: Output;
  /** Tells whether another store is to answer; the answers end, and the program starts them again. */
  readonly isOutdated: () => boolean;
  /** Returns the exit code that a command has for a kind of problem; undefined for a bug. */
  readonly codeOf: (kind: ProblemKind | undefined) => number;
};

/** The most questions that are answered at once; a slow reader must not fill the memory. */
const mostRunning = 32;

/** Answers each line of JSON, a question, with a line, until the input ends or the signal stops it. */
export async function answerLines(source: LineSource): Promise<void> {
  const { client, clock, signal, stdin } = source;
  const session = new Session(signal, clock, lineNaming);
  const stops = new Map<unknown, AbortController>();
  const running = new Set<Promise<void>>();
  const reply = async (line: string, { id, stop, ...asked }: NamedValues): Promise<void> => {
    if (stop !== undefined) return stops.get(stop)?.abort();
    const own = new AbortController();
    stops.set(id, own);
    const both = AbortSignal.any([signal, own.signal]);
    const asker = { client, clock, session, signal: both, naming: lineNaming, note: () => undefined };
    const textOf = (answer: object) => `${JSON.stringify({ id: id ?? null, ...answer })}\n`;
    // An answer may be longer than any text can be.
    const text = await answerTo(asked, line, asker)
      .then(textOf)
      .catch((error) => textOf(failure(error, source)));
    stops.delete(id);
    if (!both.aborted) await print(text, source);
  };
  let broken: unknown;
  try {
    for await (const line of linesOf(addAbortSignal(signal, stdin))) {
      if (source.isOutdated()) break;
      const work: Promise<void> = reply(line, membersOf(line))
        .catch((error) => {
          // Nobody can read the answers.
          broken ??= error;
          stdin.destroy();
        })
        .finally(() => running.delete(work));
      running.add(work);
      if (running.size >= mostRunning) await Promise.race(running);
    }
  } catch (error) {
    throw broken ?? error;
  }
  await Promise.all(running);
  signal.throwIfAborted();
  if (broken !== undefined) throw broken;
}

async function* linesOf(stdin: Readable): AsyncGenerator<string> {
  let parts: string[] = [];
  for await (const chunk of stdin.setEncoding('utf8')) {
    const [first = '', ...others] = String(chunk).split('\n');
    parts.push(first);
    for (const other of others) {
      yield parts.join('');
      parts = [other];
    }
  }
  const last = parts.join('');
  if (last.trim() !== '') yield last;
}

/** Returns the members of a line; none if it is no object of JSON. */
function membersOf(line: string): NamedValues {
  try {
    const read: unknown = JSON.parse(line);
    return isPlain(read) ? read : {};
  } catch {
    return {};
  }
}

/** Answers a query with the members that a line has: fields, rows, notes, and what else the answer says. */
export async function answerQuery(
  query: Query,
  demands: Demands,
  source: Omit<LibrarySource, 'naming' | 'session'>,
): Promise<object> {
  return messageOf(await allRows(query, demands, { note: () => undefined, ...source, naming: lineNaming }));
}

async function answerTo(
  { ask: name, values = {}, ...others }: NamedValues,
  line: string,
  source: LibrarySource,
): Promise<object> {
  // Left out, an as-of date in the wrong place would be answered with today's values.
  const [other] = Object.keys(others);
  if (other !== undefined) throw unknownName('member', other, ['id', 'ask', 'values', 'stop']);
  if (typeof name !== 'string' || !isPlain(values)) {
    const example = '{"id": 1, "ask": "observations", "values": {"id": "GDP"}}';
    const shown = line.length > 80 ? `${line.slice(0, 80)}…` : line;
    throw new Problem('bad-input', `the line ${JSON.stringify(shown)} is no question: use ${example}`);
  }
  const question = byName.get(name);
  if (question === undefined)
    throw new Problem('bad-input', `there is no question '${name}': use ${[...byName.keys()].join(', ')}`, {
      field: 'ask',
      hints: didYouMean(name, [...byName.keys()]),
    });
  const { args, params } = signatureOf(question);
  const names = [...args.map((one) => one.name), ...Object.keys(params?.kinds ?? {})].map(snakeCase);
  const unknown = Object.keys(values).find((key) => !names.includes(key));
  if (unknown !== undefined) throw unknownName('parameter', unknown, names);
  const given = new Map(Object.entries(values).map(([key, value]) => [camelCase(key), value]));
  const named = args.map(({ name: key }) => {
    const value = given.get(key);
    given.delete(key);
    return value;
  });
  return messageOf(await answering(question, source)(...named, Object.fromEntries(given)));
}

function messageOf({ result, fields, notes }: Answered): object {
  const { rows, ...about } = result;
  return {
    ...Object.fromEntries(Object.entries(about).map(([key, value]) => [snakeCase(key), value])),
    notes: notes.map(({ text }) => text),
    // A program that warns of notes need not warn of success.
    ...defined({ passed: notes.find(({ kind }) => kind === 'passed')?.text }),
    fields: fields.map(shownField),
    rows: rows.map((row) => fields.map(({ name: key }) => row[key] ?? null)),
  };
}

type ShownField = Pick<Field, 'name' | 'type'> & { readonly fields?: readonly ShownField[] };

function shownField({ name, type, fields }: Field): ShownField {
  return { name, type, ...(fields && { fields: fields.map(shownField) }) };
}

function failure(error: unknown, { codeOf }: LineSource): object {
  const problem = problemOf(error);
  const code = codeOf(problem?.kind);
  if (problem === undefined) {
    const bug = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { problem: { code, kind: 'internal-error', detail: `this is a bug in asof: ${bug}`, hints: [] } };
  }
  const { kind, detail, hints, field, requestId } = problem;
  const about = defined({ field: field && snakeCase(field), request_id: requestId });
  return { problem: { code, kind, detail, hints, ...about } };
}
