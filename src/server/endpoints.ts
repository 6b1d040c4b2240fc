import Negotiator from 'negotiator';
import type { Demands } from '../answering/basis.ts';
import {
  checkedValues,
  type Query,
  type Question,
  requestParams,
  splitDemands,
} from '../answering/question.ts';
import { namedSeries } from '../domain/series/transformation.ts';
import { Problem, type Voice, wireVoice } from '../errors/problem.ts';
import { listed } from '../errors/wording.ts';
import { type Operation, type operationHeadings, prepare } from '../operations/operation.ts';
import { invalid, type Params, type ParamTexts, snakeCase } from '../operations/param.ts';
import type { Clock, NamedValues } from '../operations/value.ts';
import { questions } from '../questions/table.ts';
import type { WireRequest } from './respond.ts';

/** A question and its path in the service. */
export type Endpoint = Pick<
  Operation,
  'description' | 'example' | 'fields' | 'members' | 'name' | 'object' | 'path' | 'summary'
> & {
  readonly heading: keyof typeof operationHeadings;
  readonly params: Params;
  readonly gated: boolean;
  /** True if it may have a column for each series instead of fixed columns. */
  readonly mayBeWide?: boolean;
  readonly question: Question;
  /** The operation that answers page by page; without it, each answer is whole. */
  readonly operation?: Operation;
};

/** The service's questions: operations, and asof's own compositions. */
export const endpoints: readonly Endpoint[] = Object.values<Question>(questions).flatMap(endpointOf);

function endpointOf(question: Question): readonly Endpoint[] {
  const { endpoint, name, operation } = question;
  if (operation !== undefined) {
    const gated = 'as_of' in operation.params || Boolean(operation.needsVintageAccess ?? operation.forOwner);
    return [{ ...operation, heading: operation.command.heading, gated, question, operation }];
  }
  if (endpoint === undefined) return [];
  const { fields } = endpoint.layout;
  return [{ ...endpoint, name, fields, gated: true, params: requestParams(question), question }];
}

/** The parameters of a request, and the format of its answer. */
export type Asked = { readonly texts: ParamTexts; readonly format: AnswerFormat };

/** Makes a function that reads the requests to an endpoint; it returns the Problem of an invalid one. */
export function requestReader({ path: pattern }: Endpoint): (request: WireRequest) => Asked | Problem {
  const inPath = pattern
    .split('/')
    .flatMap((part, place) => (part.startsWith('{') ? [{ name: part.slice(1, -1), place }] : []));
  return ({ path, query, header }) => {
    try {
      const { texts, format } = readQuery(query, header('accept'));
      if (inPath.length === 0) return { texts, format };
      const segments = path.split('/');
      const named = inPath.map(({ name, place }) => [name, decoded(segments[place] ?? '', name)] as const);
      return { texts: [...named, ...texts], format };
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  };
}

/** Reads a query and the demands on its answer from the texts of parameters. */
export function readQuestion(
  { question, operation }: Endpoint,
  { texts, format }: Asked,
  clock: Clock,
): { readonly query: Query; readonly demands: Demands } {
  // An answer with notes is the library's: with all parameters, pages of any length, and ids in lower case.
  const isOfContract = format !== 'answer';
  if (operation !== undefined && isOfContract) prepare(operation, texts, clock);
  const { operation: _, endpoint: __, ...ofLibrary } = question;
  const { values, demands } = splitDemands(wireTexts(isOfContract ? question : ofLibrary, texts, clock));
  const { ids } = values;
  // The contract's ids are in upper case; an id in lower case is unknown.
  const all = Array.isArray(ids) ? ids.map((id) => namedSeries(id).id) : [];
  const other = all.find((id) => id !== id.toUpperCase());
  if (other !== undefined && isOfContract) throw new Problem('not-found', `series '${other}' not found`);
  return { query: { question, values }, demands };
}

const wireNames: Voice = {
  ...wireVoice,
  param: (name) => `'${snakeCase(name)}'`,
  refused: (refusal) => wireVoice.refused({ ...refusal, param: snakeCase(refusal.param ?? '') }),
};

function wireTexts(question: Question, texts: ParamTexts, clock: Clock): NamedValues {
  try {
    return readTexts(question, texts, clock);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw asValidationError(error.in(wireNames), error.field);
  }
}

/** Makes a problem a validation error about a parameter of the library. */
export function asValidationError(problem: Problem, field: string | undefined): Problem {
  return problem.with({
    kind: 'validation-error',
    ...(field !== undefined && { field: snakeCase(field) }),
  });
}

/** The formats of answers with their media types; the first is the default. */
export const answerFormats = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  answer: 'application/vnd.asof.answer+json',
} as const;

type AnswerFormat = keyof typeof answerFormats;

const names = Object.keys(answerFormats) as readonly AnswerFormat[];

/** Chooses the format that `Accept` prefers, JSON if several are equal; undefined if it accepts none. */
export function acceptedFormat(accept = ''): AnswerFormat | undefined {
  if (['', '*/*', 'application/json'].includes(accept.trim())) return 'json';
  // These parameters are true for every answer.
  const plain = accept.replace(/;\s*(charset|header)=[^;,]*/gi, '');
  const type = new Negotiator({ headers: { accept: plain } }).mediaType(Object.values(answerFormats));
  return names.find((name) => answerFormats[name] === type);
}

/** The detail of a response without an acceptable format. */
export const notAcceptable = `answers are ${listed(Object.values(answerFormats), 'or')}, which the Accept header rules out`;

/** Reads the parameters of a query, and the format of the answer: from `format`, otherwise from `Accept`. */
export function readQuery(query: string, accept: string | undefined): Asked {
  const texts = queryTexts(query);
  const named = query.includes('format') ? texts.filter(([name]) => name === 'format') : [];
  const [first, second] = named;
  if (first === undefined) {
    const format = acceptedFormat(accept);
    if (format === undefined) throw new Problem('not-acceptable', notAcceptable);
    return { texts, format };
  }
  if (second !== undefined) throw invalid('format', "parameter 'format' is given more than once");
  const format = names.find((name) => name === first[1]);
  if (format === undefined)
    throw invalid('format', `invalid 'format' ${JSON.stringify(first[1])}: use ${listed(names, 'or')}`);
  return { texts: texts.filter(([name]) => name !== 'format'), format };
}

function queryTexts(query: string): ParamTexts {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const mark = pair.indexOf('=');
      const [name, text] = mark < 0 ? [pair, ''] : [pair.slice(0, mark), pair.slice(mark + 1)];
      const field = decoded(plusAsSpace(name), name);
      return [field, decoded(plusAsSpace(text), field)];
    });
}

function plusAsSpace(text: string): string {
  return text.replaceAll('+', ' ');
}

function decoded(text: string, name: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem('validation-error', `invalid '${name}': the percent-encoding is broken`, {
      field: name,
    });
  }
}

/** Reads the texts of a request; throws a validation error that names the parameter. */
export function readTexts(question: Question, texts: ParamTexts, clock: Clock): NamedValues {
  const { fixed } = question.endpoint ?? {};
  const params = requestParams(question);
  const given: Record<string, unknown> = {};
  for (const [name, text] of texts) {
    const one = Object.hasOwn(params, name) ? params[name] : undefined;
    if (one === undefined)
      throw invalid(
        name,
        `unknown parameter '${name}': use ${[...Object.keys(params), 'format'].join(', ')}`,
      );
    if (Object.hasOwn(given, name))
      throw invalid(
        name,
        `parameter '${name}' is given more than once${one.schema.type === 'array' ? ': separate its values by commas' : ''}`,
      );
    given[name] = one.parse(text, name, clock);
  }
  const missing = question.args.find(({ name, required }) => required && given[name] === undefined)?.name;
  if (missing !== undefined) throw invalid(missing, `parameter '${missing}' is missing`);
  const { exact, max_age } = given;
  const inPath = question.operation !== undefined;
  return { ...checkedValues(question, given, { ...clock, inPath }), ...fixed, exact, max_age };
}
