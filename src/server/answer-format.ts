import Negotiator from 'negotiator';
import { Problem } from '../errors/problem.ts';
import { listed } from '../errors/wording.ts';
import { invalid, type ParamTexts } from '../operations/param.ts';
import { queryTexts } from './request-target.ts';

/** The formats of answers, by their names in `format`, with their media types; the first is the default. */
export const answerFormats = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} as const;

/** The format of an answer. */
export type AnswerFormat = keyof typeof answerFormats;

const names = Object.keys(answerFormats) as readonly AnswerFormat[];

/** Parameters that clients may name because they hold for every answer: the charset, and that CSV has a header. */
const parameters = ['', ';charset=utf-8', ';header=present', ';charset=utf-8;header=present'];
const offered = names.flatMap((name) => parameters.map((more) => `${answerFormats[name]}${more}`));

/** The format that an `Accept` header prefers, JSON if several are equal; undefined if it accepts none. */
export function acceptedFormat(accept: string | undefined): AnswerFormat | undefined {
  if (accept === undefined || accept === '*/*' || accept === 'application/json' || accept.trim() === '')
    return 'json';
  const negotiator = new Negotiator({ headers: { accept } });
  const type = negotiator.mediaType(offered)?.split(';', 1)[0];
  const found = names.find((name) => answerFormats[name] === type);
  if (found !== undefined) return found;
  return negotiator.mediaTypes().includes('application/problem+json') ? 'json' : undefined;
}

/** Why a client gets none of the formats. */
export const notAcceptable = `answers are ${listed(Object.values(answerFormats), 'or')}, which the Accept header rules out`;

/** The parameters of a query, and the format of the answer: from its `format`, otherwise from `Accept`. */
export function readQuery(
  query: string,
  accept: string | undefined,
): { readonly texts: ParamTexts; readonly format: AnswerFormat } {
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
