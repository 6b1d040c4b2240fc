import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A JSON object. */
export type Json = { readonly [name: string]: unknown };

/** A parameter of an endpoint as the description has it. */
export type DescribedParameter = {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Json;
};

/** The OpenAPI description of a service, as a judge of its answers: they have only what it describes. */
export class Description {
  readonly document: Json;
  readonly #ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));

  constructor(document: Json) {
    this.document = document;
    this.#ajv.addSchema({ $id: 'asof:api', ...(closed(document) as Json) });
  }

  /** The endpoints. */
  get paths(): readonly string[] {
    return Object.keys(this.document.paths as Json);
  }

  /** What an endpoint takes. */
  parametersOf(path: string): readonly DescribedParameter[] {
    const of = (place: readonly string[]) => (this.at(place) ?? []) as readonly (Json | DescribedParameter)[];
    return [...of(['paths', path, 'parameters']), ...of(['paths', path, 'get', 'parameters'])].map(
      (one) => this.#resolved(one) as DescribedParameter,
    );
  }

  /** The part of the document at these names; undefined if it has none. */
  at(place: readonly string[]): unknown {
    return place.reduce<unknown>((node, name) => (node as Json | undefined)?.[name], this.document);
  }

  /** The points where a response breaks the description of its endpoint; `body` is parsed if it is JSON. */
  faults(path: string, response: Pick<Response, 'headers' | 'status'>, body: unknown): readonly unknown[] {
    const { status, headers } = response;
    const [type = ''] = (headers.get('content-type') ?? '').split(';');
    const responses = ['paths', path, 'get', 'responses'];
    const found = this.at([...responses, String(status)]) === undefined ? 'default' : String(status);
    const stated = this.#place([...responses, found]);
    const wrong = this.#faultsOfHeaders(stated, headers);
    if (status === 304) return wrong;
    const schema = [...stated, 'content', type, 'schema'];
    if (this.at(schema) === undefined) return [...wrong, `${path}: ${status} ${type} is not described`];
    return [...wrong, ...this.faultsAt(schema, body)];
  }

  /** The points where a value breaks the schema at a place of the document. */
  faultsAt(place: readonly string[], value: unknown): readonly unknown[] {
    const validate = this.#ajv.getSchema(`asof:api#/${place.map(escaped).join('/')}`);
    if (validate === undefined) return [`no schema at ${place.join('/')}`];
    return validate(value) ? [] : (validate.errors ?? ['invalid']);
  }

  #faultsOfHeaders(stated: readonly string[], headers: Response['headers']): readonly unknown[] {
    return Object.keys((this.at([...stated, 'headers']) ?? {}) as Json).flatMap(
      (name): readonly unknown[] => {
        const text = headers.get(name);
        if (text === null) return [];
        const place = [...this.#place([...stated, 'headers', name]), 'schema'];
        const isNumber = (this.at(place) as Json).type === 'integer';
        return this.faultsAt(place, isNumber ? Number(text) : text).map((fault) => [name, text, fault]);
      },
    );
  }

  /** A place, or the one that a reference there leads to. */
  #place(place: readonly string[]): readonly string[] {
    const { $ref } = (this.at(place) ?? {}) as { readonly $ref?: string };
    return $ref === undefined ? place : $ref.slice('#/'.length).split('/');
  }

  #resolved(node: unknown): unknown {
    const { $ref } = node as { readonly $ref?: string };
    return $ref === undefined ? node : this.at($ref.slice('#/'.length).split('/'));
  }
}

/** The same schema, which allows no fields in an answer that it does not describe. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [key, closed(value)]);
  const isObject = 'properties' in node && 'type' in node && node.type === 'object';
  return { ...Object.fromEntries(entries), ...(isObject && { additionalProperties: false }) };
}

function escaped(text: string): string {
  return encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
}
