import type { Demands } from '../analysis/basis.ts';
import type { Query } from '../analysis/query.ts';
import {
  demandParams,
  paramsOf,
  type Question,
  type QuestionEndpoint,
  readTexts,
  splitDemands as splitNamed,
} from '../analysis/question.ts';
import { servicePanel } from '../analysis/service-panel.ts';
import { parseDay } from '../domain/series/date.ts';
import { Problem, refused, type Voice, wireVoice } from '../errors/problem.ts';
import { panelQuery, seriesOf, splitDemands } from '../library/analysis-queries.ts';
import { type AnyKinds, described, ofSeveralIds } from '../library/arguments.ts';
import { checkArguments, type Signature } from '../library/call.ts';
import { askedOf, signaturesOf } from '../library/operation-signatures.ts';
import type { PanelParams } from '../library/panel-params.ts';
import { analysisSignatures } from '../library/signatures.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import type { RowLayout, Schema } from '../operations/field.ts';
import { observations } from '../operations/index.ts';
import type { Operation, operationHeadings } from '../operations/operation.ts';
import { invalid, type ParamTexts, paramTexts, snakeCase } from '../operations/param.ts';
import { type Clock, choice, clockAt, type NamedValues } from '../operations/value.ts';
import { questions as table } from '../questions/table.ts';
import { readQuery } from './answer-format.ts';
import type { OperationRoute } from './operation-route.ts';
import { targetOf } from './request-target.ts';
import { checkNoBody } from './respond.ts';
import type { TableSource } from './tables.ts';

/** A question that needs several answers, which the service composes in one request; asof's own. */
type ComposedQuestion = {
  readonly name: string;
  readonly path: string;
  readonly object: string;
  readonly heading: keyof typeof operationHeadings;
  readonly summary: string;
  readonly description: string;
  /** What it takes: a method of the library, whose arguments and parameters get names in the contract's form. */
  readonly signature: Signature;
  readonly layout: RowLayout;
  /** Whether it may have a column for each series instead of fixed columns. */
  readonly mayBeWide: boolean;
  /** The optional members of its envelope. */
  readonly members: NonNullable<Operation['members']>;
  readonly example: {
    readonly params: Readonly<Record<string, string>>;
    readonly row: Row;
    readonly head?: Pick<Envelope, 'as_of'>;
  };
  /** The query of checked values, and the demands on its answer. */
  readonly query: (values: NamedValues, clock: Clock) => { readonly query: Query; readonly demands: Demands };
};

const { panel } = analysisSignatures;
const ofSeveral = signaturesOf(observations, true)([]);
const { cursor: _, ...kindsOfSeveral } = ofSeveral.params?.kinds ?? {};

/** Every question of this kind. */
const questions: readonly ComposedQuestion[] = [
  {
    name: 'observations_of_several',
    path: '/v1/observations',
    object: observations.object,
    heading: 'Series',
    summary: 'The values of several series, as they were known on a day',
    description:
      'One series after the other, in the order of `ids`, newest date first unless `sort` is `asc`; `limit` and `first` count dates of each. The answer has no pages. That for one id also says what the series is, from which vintage it comes, and to which day it is covered.',
    signature: {
      ...ofSeveral,
      args: [{ name: 'ids', kind: ofSeveralIds }],
      params: {
        noun: 'parameter',
        ...ofSeveral.params,
        kinds: {
          ...kindsOfSeveral,
          sort: described('Newest (desc) or oldest (asc) first.', choice(['asc', 'desc'])),
        },
      },
    },
    layout: observations,
    mayBeWide: false,
    members: ['as_of', 'missing', 'series', 'vintage', 'covered_to'],
    example: {
      params: { ids: 'GDP,UNRATE', as_of: '2015-01-30', from: '2014-10-01' },
      row: observations.example.row,
      head: { as_of: '2015-01-30' },
    },
    query({ ids, sort, skipMissing, ...values }) {
      const { chosen, params, demands, transformation } = askedOf(observations, [ids, values]);
      const { limit, first, ...others } = params;
      const query: Query = {
        kind: 'operation',
        operation: chosen.name,
        ...seriesOf([ids].flat().map(String), { skipMissing: skipMissing === true }),
        unpaged: true,
        params: Object.fromEntries(paramTexts(chosen.params, others)),
        ...(limit !== undefined && { limit: Number(limit) }),
        ...(first !== undefined && { first: Number(first) }),
        ...(sort === 'asc' && { sort }),
        ...(transformation && { transformation }),
      };
      return { query, demands };
    },
  },
  {
    name: servicePanel.name,
    path: servicePanel.path,
    object: servicePanel.object,
    heading: 'Series',
    summary: 'Several series side by side, as they were known on one day or on many',
    description:
      `${panel.about} The answer has no pages. With \`wide\` a row has the day, and a text or null under each id as it was asked for.`.replaceAll(
        '`asOfEach`',
        '`as_of_each`',
      ),
    signature: panel,
    layout: servicePanel,
    mayBeWide: true,
    members: ['as_of', 'missing'],
    example: {
      params: { ids: 'GDP', as_of_each: 'month-end', from: '2015-01-01', to: '2015-01-31' },
      row: {
        as_of: '2015-01-31',
        series_id: 'GDP',
        date: '2014-10-01',
        value: '17710.7',
        as_of_date: '2015-01-30',
        vintage_kind: 'exact',
      },
    },
    query: ({ ids, ...values }, clock) => {
      const { demands, own } = splitDemands(values as NamedValues & Demands);
      return { query: panelQuery([ids].flat().map(String), own as PanelParams, clock), demands };
    },
  },
];

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
        const { demands, values } = splitNamed(readTexts(declared, texts, clock));
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
  ...questions.map((one) => ({
    ...one,
    parameters: parametersOf(one),
    read: (texts: ParamTexts, clock: Clock) => read(one, texts, clock),
  })),
  ...Object.values<Question>(table).flatMap(endpointOf),
];

/** What a question takes, each by its name on the wire. */
function parametersOf({ signature: { args, params } }: ComposedQuestion) {
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

/** The query that texts ask for; a validation error names the parameter as it is on the wire. */
function read(
  question: ComposedQuestion,
  texts: ParamTexts,
  clock: Clock,
): ReturnType<ComposedQuestion['query']> {
  const parameters = parametersOf(question);
  const values: Record<string, unknown> = {};
  for (const [name, text] of texts) {
    const found = parameters.find((one) => one.name === name);
    const known = [...parameters.map((one) => one.name), 'format'].join(', ');
    if (found === undefined) throw invalid(name, `unknown parameter '${name}': use ${known}`);
    const { own, schema } = found;
    const wayOut = schema.type === 'array' ? ': separate its values by commas' : '';
    if (Object.hasOwn(values, own))
      throw invalid(name, `parameter '${name}' is given more than once${wayOut}`);
    values[own] = valueIn(name, text, schema);
  }
  const { args, params } = question.signature;
  const missing = parameters.find(({ own, required }) => required && values[own] === undefined);
  if (missing !== undefined) throw invalid(missing.name, `parameter '${missing.name}' is missing`);
  const names = new Set(args.map(({ name }) => name));
  const others = Object.entries(values).filter(([own]) => !names.has(own));
  checkArguments(
    params === undefined ? question.signature : { ...question.signature, params },
    [...args.map(({ name }) => values[name]), Object.fromEntries(others)],
    clock,
    wireNames,
  );
  return question.query(values, clock);
}

/** The contract's ids are in upper case; an id in lower case is an unknown series. */
function checkIds(query: Query): void {
  const { ids }: NamedValues = query.kind === 'question' ? query.values : { ...query };
  const other = Array.isArray(ids) ? ids.find((id) => id !== id.toUpperCase()) : undefined;
  if (other !== undefined) throw new Problem('not-found', `series '${other}' not found`);
}

/** The value of a text, of the type that a schema describes: a list is separated by commas. */
function valueIn(name: string, text: string, { type, format, anyOf, items, minItems }: Schema): unknown {
  const unfit = (use: string) => refused({ param: name, value: text, reason: `use ${use}` });
  const isDays = (days: readonly string[]) => days.every((day) => parseDay(day) !== undefined);
  const parts = text.split(',');
  const days = type === 'array' ? wordsBesideDays(items as Schema) : undefined;
  if (days !== undefined) {
    if (!isDays(parts.filter((part) => !days.includes(part))))
      throw refused({
        param: name,
        noun: 'date',
        reason: `use ${['YYYY-MM-DD format', ...days].join(' or ')}`,
      });
    if (parts.length !== minItems)
      throw unfit('two dates separated by a comma, such as 2009-07-30,2009-07-31');
    return parts;
  }
  if (type === 'array') {
    if (parts.some((part) => part.trim() === '')) throw unfit('ids separated by commas, such as GDP,UNRATE');
    return parts;
  }
  if (type === 'integer') return /^\d{1,9}$/.test(text) ? Number(text) : text;
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false') throw unfit('true or false');
    return text === 'true';
  }
  if (format === 'date' && !isDays([text]))
    throw refused({ param: name, noun: 'date', reason: 'use YYYY-MM-DD format' });
  if (!Array.isArray(anyOf)) return text;
  const words = anyOf.flatMap((one: Schema): readonly string[] => (Array.isArray(one.enum) ? one.enum : []));
  if (words.includes(text)) return text;
  if (!isDays(parts)) throw unfit(`${words.join(', ')}, or dates (YYYY-MM-DD) separated by commas`);
  return parts;
}

/** The words that a list of days may contain, such as `latest`; undefined if it is not a list of days. */
function wordsBesideDays({ format, anyOf = [] }: Schema): readonly unknown[] | undefined {
  const kinds = anyOf as readonly Schema[];
  if (format !== 'date' && !kinds.some((kind) => kind.format === 'date')) return undefined;
  return kinds.flatMap((kind) => kind.const ?? []);
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
