import { defined } from '../../platform/defined.ts';
import { allBytes, limits, refusal, type SourceFile, utf8Text } from '../files/source-file.ts';

/** A JSON object with unchecked members. */
export type UncheckedObject = { readonly [name: string]: unknown };

/** Tells whether a JSON value is an object, and not a list. */
export function isJsonObject(value: unknown): value is UncheckedObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a text of JSON; undefined for any other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads the object in a UTF-8 JSON file; with `texts`, numbers are the texts of the file, with all their digits.
 * Throws if the file is too large, broken, or has another value.
 */
export async function readJsonObject(
  file: SourceFile,
  numbers: 'numbers' | 'texts' = 'numbers',
): Promise<UncheckedObject> {
  const text = utf8Text(file, await allBytes(file, limits.json));
  let value: unknown;
  try {
    value = JSON.parse(numbers === 'texts' ? text.replace(stringOrNumber, quoted) : text);
  } catch (error) {
    if (error instanceof SyntaxError) throw refusal(file, {}, `broken JSON: ${error.message}`);
    throw error;
  }
  if (!isJsonObject(value)) throw refusal(file, {}, 'this JSON is not an object');
  return value;
}

const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

function quoted(token: string): string {
  return token.startsWith('"') ? token : `"${token}"`;
}

/** Returns the value of a field; throws if the field is missing or fails the check. */
export function fieldOf<T>(
  file: SourceFile,
  object: UncheckedObject,
  column: string,
  isRight: (value: unknown) => value is T,
  row?: number,
): T {
  const value = object[column];
  if (isRight(value)) return value;
  const place = defined({ column, row });
  if (value === undefined) throw refusal(file, place, 'this field is missing');
  throw refusal(file, { ...place, value: jsonText(value) }, 'this field has an unexpected value');
}

/** Returns the list of objects in a field; throws if the field is missing or has another value. */
export function listField(
  file: SourceFile,
  object: UncheckedObject,
  name: string,
): readonly UncheckedObject[] {
  return fieldOf(file, object, name, Array.isArray).map((entry: unknown, index) => {
    if (isJsonObject(entry)) return entry;
    const place = { row: index + 1, column: name, value: jsonText(entry) };
    throw refusal(file, place, 'this entry is not an object');
  });
}

/** Returns the text in a field; throws if the field is missing or has another value. */
export function textField(file: SourceFile, object: UncheckedObject, name: string, row?: number): string {
  return fieldOf(file, object, name, (value) => typeof value === 'string', row);
}

/** Returns the number in a field; throws if the field is missing or has another value. */
export function numberField(file: SourceFile, object: UncheckedObject, name: string): number {
  return fieldOf(file, object, name, (value) => typeof value === 'number');
}

/** Writes a value as JSON; a few words replace one that is nested too deep. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return 'lists in lists, too deep to be shown';
    throw error;
  }
}
