import { demandParams } from '../analysis/question.ts';
import type { Schema } from '../operations/field.ts';
import type { Operation } from '../operations/operation.ts';
import { camelCase, type Param, type ParamsOf } from '../operations/param.ts';
import type { ValueCheck } from '../operations/value.ts';
import {
  extentParams,
  oneSeries,
  severalIds,
  skipMissing as skipMissingParam,
} from '../questions/series/shared.ts';

/** What a parameter of a method takes; without a schema, the value has no form in JSON. */
export type Kind = ValueCheck & { readonly schema?: Schema };

/** The last argument of a method: its parameters by name, if it has any. */
export type WithParams<P> = [keyof P] extends [never]
  ? []
  : Record<never, never> extends P
    ? [params?: P]
    : [params: P];

/** A parameter of every question about several series. */
export type SeveralParams = {
  /** Leaves out ids that no series has, and names them in `missing`; otherwise they are a failure. */
  readonly skipMissing?: boolean | undefined;
};

/** The kind of value of each member of a type; a missing member does not compile. */
export type Kinds<T> = { readonly [K in keyof T]-?: Kind };

/** Kinds by the names of parameters. */
export type AnyKinds = { readonly [name: string]: Kind };

/** Returns a kind whose schema says what a value is for. */
export function described(description: string, kind: Kind): Kind {
  return { ...kind, schema: { ...kind.schema, description } };
}

/** Returns the kind of a declared parameter. */
export function kindOf(param: Param): Kind {
  return described(param.description, param);
}

/** The id of the series that a method is about. */
export const ofOneSeries = kindOf(oneSeries);

/** The ids of the series that a method is about. */
export const ofSeveralIds = kindOf(severalIds);

/** Whether ids that no series has are left out. */
export const skipMissing = kindOf(skipMissingParam);

/** What an answer must be based on. */
export const demandKinds = { exact: kindOf(demandParams.exact), maxAge: kindOf(demandParams.max_age) };

/** The part of a listing to read. */
export const extentKinds = {
  limit: kindOf(extentParams.limit),
  cursor: kindOf(extentParams.cursor),
  first: kindOf(extentParams.first),
};

/**
 * The kinds of an operation's parameters, by their names in the library; `limit` has no maximum, because all pages
 * make one answer.
 */
export function kindsOf<O extends Pick<Operation, 'params'>>(operation: O): Kinds<ParamsOf<O>> {
  const kinds = Object.entries(operation.params).map(([name, param]) => {
    return [camelCase(name), name === 'limit' ? extentKinds.limit : kindOf(param)];
  });
  // The names come from the declaration, which is their only source.
  return Object.fromEntries(kinds) as Kinds<ParamsOf<O>>;
}

/** Whether an address is a URL, and not the path of a file. */
export function isUrl(address: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(address);
}

/** The series of a query. */
export function seriesOf(ids: readonly string[], { skipMissing }: SeveralParams) {
  return { ids, ...(skipMissing === true && { skipMissing }) };
}
