import type { Demands } from '../analysis/basis.ts';
import type { Query } from '../analysis/query.ts';
import {
  demandParams,
  isList,
  paramsOf,
  type Question,
  type QuestionEndpoint,
  readTexts,
  splitDemands,
} from '../analysis/question.ts';
import { parseDay } from '../domain/series/date.ts';
import { Problem, refused, type Voice, wireVoice } from '../errors/problem.ts';
import { type AnyKinds, kindOf, ofSeveralIds, seriesOf } from '../library/arguments.ts';
import { checkArguments, type Signature } from '../library/call.ts';
import { askedOf, signaturesOf } from '../library/operation-signatures.ts';
import type { Schema } from '../operations/field.ts';
import { observations } from '../operations/index.ts';
import { invalid, type ParamTexts, paramTexts, snakeCase } from '../operations/param.ts';
import { type Clock, clockAt, type NamedValues } from '../operations/value.ts';
import { sortParam } from '../questions/series/shared.ts';
import { questions as table } from '../questions/table.ts';
import { readQuery } from './answer-format.ts';
import type { OperationRoute } from './operation-route.ts';
import { targetOf } from './request-target.ts';
import { checkNoBody } from './respond.ts';
import type { TableSource } from './tables.ts';

const ofSeveral = signaturesOf(observations, true)([]);
const { cursor: _, ...kindsOfSeveral } = ofSeveral.params?.kinds ?? {};

/** What the endpoint takes: a method of the library, whose names get the contract's form. */
const signature: Signature = {
  ...ofSeveral,
  args: [{ name: 'ids', kind: ofSeveralIds }],
  params: {
    noun: 'parameter',
    ...ofSeveral.params,
    kinds: {
      ...kindsOfSeveral,
      sort: kindOf(sortParam),
    },
  },
};

/** The values of several series in one request, until a question of the table answers it. */
const observationsOfSeveral: Endpoint = {
  name: 'observations_of_several',
  path: '/v1/observations',
  object: observations.object,
  heading: 'Series',
  summary: 'The values of several series, as they were known on a day',
  description:
    'One series after the other, in the order of `ids`, newest date first unless `sort` is `asc`; `limit` and `first` count dates of each. The answer has no pages. That for one id also says what the series is, from which vintage it comes, and to which day it is covered.',
  layout: observations,
  members: ['as_of', 'missing', 'series', 'vintage', 'covered_to'],
  example: {
    params: { ids: 'GDP,UNRATE', as_of: '2015-01-30', from: '2014-10-01' },
    row: observations.example.row,
    head: { as_of: '2015-01-30' },
  },
  parameters: parametersOf(signature),
  read: (texts, clock) => queryOf(readValues(texts, clock)),
};

function queryOf({ ids, sort, skipMissing, ...values }: NamedValues): ReturnType<Endpoint['read']> {
  const { chosen, params, demands, transformation } = askedOf(observations, [ids, values]);
  const { limit, first, ...others } = params;
  const query: Query = {
    kind: 'operation',
    operation: chosen,
    ...seriesOf([ids].flat().map(String), { skipMissing: skipMissing === true }),
    unpaged: true,
    params: Object.fromEntries(paramTexts(chosen.params, others)),
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(first !== undefined && { first: Number(first) }),
    ...(sort === 'asc' && { sort }),
    ...(transformation && { transformation }),
  };
  return { query, demands };
}

/** A question of the table as an endpoint of the service. */
function endpointOf(declared: Question): readonly Endpoint[] {
  const { endpoint, name } = declared;
  if (endpoint === undefined) return [];
  const parameters = Object.entries({ ...paramsOf(declared), ...demandParams });
  return [
    {
      ...endpoint,
      name,
      parameters: parameters.map(([key, { schema, description, required }]) => ({
        name: key,
        schema: { ...schema, description },
        required,
      })),
      read(texts, clock) {
        const { demands, values } = splitDemands(readTexts(declared, texts, clock));
        return { query: { kind: 'question', question: declared, values }, demands };
      },
    },
  ];
}

/** A question as the service answers it. */
export type Endpoint = QuestionEndpoint & {
  readonly name: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly schema: Schema;
    readonly required: boolean;
  }[];
  readonly read: (texts: ParamTexts, clock: Clock) => { readonly query: Query; readonly demands: Demands };
};

/** Every question that the service composes in one request; asof's own. */
export const endpoints: readonly Endpoint[] = [
  observationsOfSeveral,
  ...Object.values<Question>(table).flatMap(endpointOf),
];

/** What a question takes, each by its name on the wire. */
function parametersOf({ args, params }: Signature) {
  const required = new Set([...args.map(({ name }) => name), ...(params?.required ?? [])]);
  const kinds: AnyKinds = {
    ...Object.fromEntries(args.map(({ name, kind }) => [name, kind])),
    ...params?.kinds,
  };
  return Object.entries(kinds).map(([own, { schema = {} }]) => ({
    own,
    name: snakeCase(own),
    schema,
    required: required.has(own),
  }));
}

/** The route of a question, in every format. */
export function questionRoute(endpoint: Endpoint, source: TableSource): OperationRoute {
  return async (exchange, plan) => {
    const { request, now } = exchange;
    checkNoBody(request.headers);
    const { texts, format } = readQuery(targetOf(request.url).query, request.headers.get('accept'));
    const { query, demands } = asked(endpoint, texts, clockAt(now));
    checkIds(query);
    const { answerTable } = await import('./tables.ts');
    return answerTable({ query, demands, format }, plan, exchange, source);
  };
}

function asked(endpoint: Endpoint, texts: ParamTexts, clock: Clock): ReturnType<Endpoint['read']> {
  try {
    return endpoint.read(texts, clock);
  } catch (error) {
    throw error instanceof Problem ? onWire(error) : error;
  }
}

/** The values of texts; a validation error names the parameter as it is on the wire. */
function readValues(texts: ParamTexts, clock: Clock): NamedValues {
  const parameters = parametersOf(signature);
  const values: Record<string, unknown> = {};
  for (const [name, text] of texts) {
    const found = parameters.find((one) => one.name === name);
    const known = [...parameters.map((one) => one.name), 'format'].join(', ');
    if (found === undefined) throw invalid(name, `unknown parameter '${name}': use ${known}`);
    const { own, schema } = found;
    const wayOut = isList({ schema }) ? ': separate its values by commas' : '';
    if (Object.hasOwn(values, own))
      throw invalid(name, `parameter '${name}' is given more than once${wayOut}`);
    values[own] = valueIn(name, text, schema);
  }
  const missing = parameters.find(({ own, required }) => required && values[own] === undefined);
  if (missing !== undefined) throw invalid(missing.name, `parameter '${missing.name}' is missing`);
  const { ids, ...others } = values;
  checkArguments(signature, [ids, others], clock, wireNames);
  return values;
}

/** The contract's ids are in upper case; an id in lower case is an unknown series. */
function checkIds(query: Query): void {
  const { ids }: NamedValues = query.kind === 'question' ? query.values : { ...query };
  const other = Array.isArray(ids) ? ids.find((id) => id !== id.toUpperCase()) : undefined;
  if (other !== undefined) throw new Problem('not-found', `series '${other}' not found`);
}

/** The value of a text, of the type that a schema describes: a list is separated by commas. */
function valueIn(name: string, text: string, { type, format }: Schema): unknown {
  const unfit = (use: string) => refused({ param: name, value: text, reason: `use ${use}` });
  if (type === 'array') {
    const parts = text.split(',');
    if (parts.some((part) => part.trim() === '')) throw unfit('ids separated by commas, such as GDP,UNRATE');
    return parts;
  }
  if (type === 'integer') return /^\d{1,9}$/.test(text) ? Number(text) : text;
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false') throw unfit('true or false');
    return text === 'true';
  }
  if (format === 'date' && parseDay(text) === undefined)
    throw refused({ param: name, noun: 'date', reason: 'use YYYY-MM-DD format' });
  return text;
}

/** The words of the contract, with the names that parameters of the library have on the wire. */
const wireNames: Voice = {
  ...wireVoice,
  param: (name) => `'${snakeCase(name)}'`,
  refused: (refusal) => wireVoice.refused({ ...refusal, param: snakeCase(refusal.param ?? '') }),
};

/** A refusal of the library as an answer of the service. */
function onWire(problem: Problem): Problem {
  const { field } = problem;
  return problem.in(wireNames).with({
    kind: 'validation-error',
    hints: [],
    ...(field !== undefined && { field: snakeCase(field) }),
  });
}
