import type { Demands } from '../answering/basis.ts';
import { type Query, type Question, readTexts, requestParams, splitDemands } from '../answering/question.ts';
import { Problem, type Voice, wireVoice } from '../errors/problem.ts';
import { operations } from '../operations/index.ts';
import { type Operation, type operationHeadings, prepare } from '../operations/operation.ts';
import { type Params, type ParamTexts, snakeCase } from '../operations/param.ts';
import type { Clock, NamedValues } from '../operations/value.ts';
import { operationQuestion } from '../questions/operation-question.ts';
import { questionNamed, questions } from '../questions/table.ts';
import { type AnswerFormat, readQuery } from './answer-format.ts';
import type { WireRequest } from './exchange.ts';
import { pathTexts } from './request-target.ts';

type Described = Pick<
  Operation,
  'description' | 'example' | 'fields' | 'members' | 'name' | 'object' | 'path' | 'summary'
>;

/** A question as the service answers it at a path. */
export type Endpoint = Described & {
  readonly heading: keyof typeof operationHeadings;
  readonly params: Params;
  /** Whether any of its answers needs a plan with vintage access. */
  readonly gated: boolean;
  /** Whether it may have a column for each series instead of fixed columns. */
  readonly mayBeWide?: boolean;
  readonly question: Question;
  /** The operation that answers the question page by page; without it, each answer is whole. */
  readonly operation?: Operation;
};

/** Every question that the service answers: operations, and those that it composes, asof's own. */
export const endpoints: readonly Endpoint[] = [
  ...operations.map(operationEndpoint),
  ...Object.values<Question>(questions).flatMap(composedEndpoint),
];

function operationEndpoint(operation: Operation): Endpoint {
  const question = questionNamed(operation.name) ?? operationQuestion(operation, operations);
  const gated = operation.needsVintageAccess !== undefined;
  return { ...operation, heading: operation.command.heading, gated, question, operation };
}

function composedEndpoint(question: Question): readonly Endpoint[] {
  const { endpoint, name } = question;
  if (endpoint === undefined) return [];
  const { fields } = endpoint.layout;
  return [{ ...endpoint, name, fields, gated: true, params: requestParams(question), question }];
}

/** The texts of the parameters of a request, and the format of its answer. */
export type Asked = { readonly texts: ParamTexts; readonly format: AnswerFormat };

/** Reads what a request asks of an endpoint. */
export function readRequest({ path: pattern }: Endpoint, { path, query, header }: WireRequest): Asked {
  const { texts, format } = readQuery(query, header('accept'));
  return { texts: [...pathTexts(pattern, path), ...texts], format };
}

/** Returns the operation that answers a page; everything else is a table that a thread computes. */
export function pagedOperation({ operation }: Endpoint, format: AnswerFormat): Operation | undefined {
  return format === 'json' ? operation : undefined;
}

/** Tells whether a request asks for a table, which has to wait for its turn; one that is not valid does not wait. */
export function isComputation(endpoint: Endpoint, { query, header }: WireRequest): boolean {
  try {
    return pagedOperation(endpoint, readQuery(query, header('accept')).format) === undefined;
  } catch {
    return endpoint.operation === undefined;
  }
}

/** Reads the query that texts of parameters ask, and what its answer must be based on. */
export function readQuestion(
  { question, operation }: Endpoint,
  texts: ParamTexts,
  clock: Clock,
): { readonly query: Query; readonly demands: Demands } {
  if (operation !== undefined) prepare(operation, texts, clock);
  const { values, demands } = splitDemands(inWireNames(() => readTexts(question, texts, clock)));
  checkIds(values);
  return { query: { question, values }, demands };
}

/** The contract's ids are in upper case; an id in lower case is an unknown series. */
function checkIds({ ids }: NamedValues): void {
  const other = Array.isArray(ids) ? ids.find((id) => id !== id.toUpperCase()) : undefined;
  if (other !== undefined) throw new Problem('not-found', `series '${other}' not found`);
}

/** The words of the contract, with the names that parameters of the library have on the wire. */
const wireNames: Voice = {
  ...wireVoice,
  param: (name) => `'${snakeCase(name)}'`,
  refused: (refusal) => wireVoice.refused({ ...refusal, param: snakeCase(refusal.param ?? '') }),
};

/** Runs work whose refusals become validation errors that name the parameter. */
function inWireNames<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw asValidationError(error.in(wireNames).with({ hints: [] }), error.field);
  }
}

/** The same problem as a validation error about a parameter of the library. */
export function asValidationError(problem: Problem, field: string | undefined): Problem {
  return problem.with({
    kind: 'validation-error',
    ...(field !== undefined && { field: snakeCase(field) }),
  });
}
