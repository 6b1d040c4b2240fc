import type { Demands } from '../analysis/basis.ts';
import { diffLayout } from '../analysis/layouts.ts';
import type { Query } from '../analysis/query.ts';
import { servicePanel } from '../analysis/service-panel.ts';
import { type Day, parseDay } from '../domain/series/date.ts';
import { Problem, refused, type Voice, wireVoice } from '../errors/problem.ts';
import { diffQuery, panelQuery, seriesOf, splitDemands } from '../library/analysis-queries.ts';
import { type AnyKinds, described, ofSeveralIds } from '../library/arguments.ts';
import { checkArguments, type Signature } from '../library/call.ts';
import { askedOf, signaturesOf } from '../library/operation-signatures.ts';
import type { PanelParams } from '../library/panel-params.ts';
import { analysisSignatures, type DiffParams } from '../library/signatures.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import type { RowLayout, Schema } from '../operations/field.ts';
import { observations } from '../operations/index.ts';
import type { Operation, operationHeadings } from '../operations/operation.ts';
import { invalid, type ParamTexts, paramTexts, snakeCase } from '../operations/param.ts';
import { type Clock, choice, clockAt, type NamedValues } from '../operations/value.ts';
import { readQuery } from './answer-format.ts';
import { targetOf } from './malformed-request.ts';
import type { OperationRoute } from './operation-route.ts';
import { checkNoBody } from './respond.ts';
import type { TableSource } from './tables.ts';

/** A question that needs several answers, which the service composes in one request; asof's own. */
export type Question = {
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

const { panel, diff } = analysisSignatures;
const ofSeveral = signaturesOf(observations, true)([]);
const { cursor: _, ...kindsOfSeveral } = ofSeveral.params?.kinds ?? {};

/** Every question of this kind. */
export const questions: readonly Question[] = [
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
  {
    name: 'diff',
    path: '/v1/diff',
    object: 'diff',
    heading: 'Series',
    summary: 'The dates for which series had other values as of one day than as of another',
    description: `${diff.about} \`days\` are the two as-of dates. The answer has no pages.`,
    signature: diff,
    layout: diffLayout,
    mayBeWide: false,
    members: ['missing'],
    example: {
      params: { ids: 'GDP', days: '2015-01-30,2015-02-27', from: '2014-10-01' },
      row: {
        series_id: 'GDP',
        date: '2014-10-01',
        old: '17710.7',
        new: '17701.3',
        change: '-9.4',
        percent: '-0.0531',
        kind: 'revised',
      },
    },
    query: ({ ids, days, ...values }) => {
      const { demands, own } = splitDemands(values as NamedValues & Demands);
      const [first = '', second = ''] = [days].flat().map(String) as readonly Day[];
      return { query: diffQuery([ids].flat().map(String), [first, second], own as DiffParams), demands };
    },
  },
];

/** What a question takes, each by its name on the wire. */
export function parametersOf({ signature: { args, params } }: Question) {
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
export function questionRoute(question: Question, source: TableSource): OperationRoute {
  return async (exchange, plan) => {
    const { request, now } = exchange;
    checkNoBody(request.headers);
    const { texts, format } = readQuery(targetOf(request.url).query, request.headers.get('accept'));
    const { query, demands } = read(question, texts, clockAt(now));
    checkIds(query);
    const { answerTable } = await import('./tables.ts');
    return answerTable({ query, demands, format }, plan, exchange, source);
  };
}

/** The query that texts ask for; a validation error names the parameter as it is on the wire. */
function read(question: Question, texts: ParamTexts, clock: Clock): ReturnType<Question['query']> {
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
  try {
    const asked = [...args.map(({ name }) => values[name]), Object.fromEntries(others)];
    checkArguments(
      params === undefined ? question.signature : { ...question.signature, params },
      asked,
      clock,
      wireNames,
    );
    return question.query(values, clock);
  } catch (error) {
    throw error instanceof Problem ? onWire(error) : error;
  }
}

/** The contract's ids are in upper case; an id in lower case is an unknown series. */
function checkIds(query: Query): void {
  const other = 'ids' in query ? query.ids?.find((id) => id !== id.toUpperCase()) : undefined;
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
