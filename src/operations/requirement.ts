import type { Row } from './envelope.ts';
import type { Field, RowFrom } from './field.ts';
import type { Param, Params, ParamTexts, ParamValues } from './param.ts';
import type { Clock } from './value.ts';

/** What a row must hold to answer a parameter of a query. */
export type Requirement<R = Row> = {
  readonly param: string;
  /** The field that shows it. */
  readonly field: string;
  /** What is wrong with a row that does not meet it; messages put it after the value of the field. */
  readonly fault: string;
  met(row: R): boolean;
};

/** For parameters that no field simply repeats: the field that shows each one, and whether a row answers it. */
export type RowTests<P extends Params, F extends Field> = {
  readonly [K in keyof P]?: {
    readonly field: F['name'];
    readonly met: (row: RowFrom<F>, values: ParamValues<P>, clock: Clock) => boolean;
  };
};

/** What the rows of an operation must hold: by the bounds of its parameters, and by the tests that it declares. */
type RowRules<P extends Params, F extends Field> = {
  readonly params: P;
  readonly fields: readonly F[];
  readonly rowTests?: RowTests<P, F> | undefined;
};

/**
 * What the rows of an answer must hold. A bound also applies to a parameter's default; a test applies only to a
 * parameter that the texts give.
 */
export function requirementsOf<P extends Params, F extends Field>(
  { params, fields, rowTests = {} }: RowRules<P, F>,
  texts: ParamTexts,
  values: ParamValues<P>,
  clock: Clock,
): readonly Requirement<RowFrom<F>>[] {
  const found: Requirement<RowFrom<F>>[] = [];
  const mayLack = new Set(fields.flatMap(({ name, extension }) => (extension === true ? [name] : [])));
  for (const [name, param] of Object.entries(params)) {
    const value: unknown = values[name];
    if (value === undefined || value === '') continue;
    const { bounds } = param;
    if (bounds !== undefined && boundedField(param, fields) !== undefined)
      found.push({
        param: name,
        field: bounds.field,
        fault: faultOf(bounds.is, String(value)),
        met: (row) => {
          const cell: unknown = Reflect.get(row, bounds.field);
          return (cell == null && mayLack.has(bounds.field)) || isWithin(bounds.is, cell, value);
        },
      });
    const test = rowTests[name];
    if (test !== undefined && texts.some(([given]) => given === name))
      found.push({
        param: name,
        field: test.field,
        fault: faultOf('equal', String(value)),
        met: (row) => test.met(row, values, clock),
      });
  }
  return found;
}

/** The field that repeats a parameter, if the rows have it. */
function boundedField({ bounds }: Param, fields: readonly Field[]): string | undefined {
  return bounds !== undefined && fields.some(({ name }) => name === bounds.field) ? bounds.field : undefined;
}

type Relation = NonNullable<Param['bounds']>['is'];

function isWithin(is: Relation, cell: unknown, value: unknown): boolean {
  if (is === 'least') return Number(cell) >= Number(value);
  const [found, asked] = [String(cell ?? ''), String(value)];
  if (is === 'equal') return found === asked;
  return is === 'from' ? found >= asked : found <= asked;
}

function faultOf(is: Relation, asked: string): string {
  if (is === 'equal') return `, but ${asked} was asked for`;
  if (is === 'from') return `: before ${asked}`;
  return is === 'to' ? `: after ${asked}` : `: fewer than ${asked}`;
}
