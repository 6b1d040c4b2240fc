import {
  type Question,
  type QuestionEndpoint,
  readTexts,
  requestParams,
  splitDemands,
} from '../answering/question.ts';
import { Problem, type Voice, wireVoice } from '../errors/problem.ts';
import type { Schema } from '../operations/field.ts';
import { type ParamTexts, snakeCase } from '../operations/param.ts';
import { type Clock, clockAt, type NamedValues } from '../operations/value.ts';
import { questions } from '../questions/table.ts';
import { readQuery } from './answer-format.ts';
import type { OperationRoute } from './operation-route.ts';
import { checkNoBody } from './respond.ts';
import type { TableSource } from './tables.ts';

/** A question as the service answers it. */
export type Endpoint = QuestionEndpoint & {
  readonly name: string;
  readonly question: Question;
  readonly parameters: readonly {
    readonly name: string;
    readonly schema: Schema;
    readonly required: boolean;
  }[];
};

/** Every question that the service composes in one request; asof's own. */
export const endpoints: readonly Endpoint[] = Object.values<Question>(questions).flatMap((question) => {
  const { endpoint, name } = question;
  if (endpoint === undefined) return [];
  const parameters = Object.entries(requestParams(question)).map(
    ([name, { schema, description, required }]) => ({ name, schema: { ...schema, description }, required }),
  );
  return [{ ...endpoint, name, question, parameters }];
});

/** The route of a question, in every format. */
export function questionRoute({ question }: Endpoint, source: TableSource): OperationRoute {
  return async (exchange, plan) => {
    const { request, now } = exchange;
    checkNoBody(request);
    const { texts, format } = readQuery(request.query, request.header('accept'));
    const { demands, values } = splitDemands(asked(question, texts, clockAt(now)));
    checkIds(values);
    const { answerTable } = await import('./tables.ts');
    return answerTable({ query: { question, values }, demands, format }, plan, exchange, source);
  };
}

function asked(question: Question, texts: ParamTexts, clock: Clock): NamedValues {
  try {
    return readTexts(question, texts, clock);
  } catch (error) {
    throw error instanceof Problem ? onWire(error) : error;
  }
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

/** A refusal of the library as an answer of the service. */
function onWire(problem: Problem): Problem {
  const { field } = problem;
  return problem.in(wireNames).with({
    kind: 'validation-error',
    hints: [],
    ...(field !== undefined && { field: snakeCase(field) }),
  });
}
