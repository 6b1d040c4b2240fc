import type { Schema } from '../operations/field.ts';
import type { Param } from '../operations/param.ts';
import type { ValueCheck } from '../operations/value.ts';
import { skipMissing as skipMissingParam } from '../questions/series/shared.ts';

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

/** Returns the kind of a declared parameter. */
export function kindOf(param: Param): Kind {
  return { ...param, schema: { ...param.schema, description: param.description } };
}

/** Whether ids that no series has are left out. */
export const skipMissing = kindOf(skipMissingParam);

/** Whether an address is a URL, and not the path of a file. */
export function isUrl(address: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(address);
}

/** The series of a query. */
export function seriesOf(ids: readonly string[], { skipMissing }: SeveralParams) {
  return { ids, ...(skipMissing === true && { skipMissing }) };
}
