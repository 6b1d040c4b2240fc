import { Problem } from '../../errors/problem.ts';
import type { Row } from '../../operations/envelope.ts';
import type { Operation, Substitute } from '../../operations/operation.ts';
import { type Params, type ParamTexts, without } from '../../operations/param.ts';
import type { Clock } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import { largestPage } from '../pagination.ts';
import { readJson } from './answer.ts';
import type { HttpReply } from './exchange.ts';

/** The extension parameters that a service announces in its OpenAPI description, read once. */
export class Extensions {
  readonly #service: string;
  readonly #get: (path: string) => Promise<HttpReply>;
  #announced: Promise<Announces> | undefined;

  constructor(service: string, get: (path: string) => Promise<HttpReply>) {
    this.#service = service;
    this.#get = get;
  }

  /** The extension parameters of a query that the service does not announce. */
  async unannounced({ path, params }: Pick<Operation, 'params' | 'path'>, texts: ParamTexts) {
    const extensions = texts.filter(([name]) => params[name]?.extension === true);
    if (extensions.length === 0) return new Set<string>();
    this.#announced ??= this.#get('/v1/openapi.json').then(announcedIn);
    const announces = await this.#announced.catch((error) => {
      this.#announced = undefined;
      throw error;
    });
    // The service itself refuses a value that no service knows.
    const choiceOf = (name: string, text: string) => {
      const choices = params[name]?.schema.enum;
      return Array.isArray(choices) && choices.includes(text) ? text : undefined;
    };
    return new Set(
      extensions.flatMap(([name, text]) => (announces(path, name, choiceOf(name, text)) ? [] : [name])),
    );
  }

  /**
   * What to send a service that lacks these parameters: the others, if the rows show whether they answer the query, or
   * another question with the same answer. Throws a Problem if neither is possible.
   */
  sendable<R extends Row>(
    operation: Operation<Params, R>,
    texts: ParamTexts,
    lacking: ReadonlySet<string>,
    clock: Clock,
  ): SendableQuery<R> {
    const { params, shown, substitute } = operation;
    const { params: changes = {}, selection } = substitute?.(texts, clock, lacking) ?? {};
    const sent = Object.entries(changes).reduce<ParamTexts>(
      (others, [name, text]) =>
        text === undefined ? without(others, name) : [...without(others, name), [name, text]],
      texts,
    );
    // A value that is the default need not be sent.
    const isDefault = (name: string, text: string) =>
      params[name]?.parse(text, name, clock) === params[name]?.fallback;
    const refused = sent.find(
      ([name, text]) => lacking.has(name) && !shown.has(name) && !isDefault(name, text),
    );
    if (refused !== undefined) throw lacksParameter(operation, refused[0], this.#service);
    const announced = sent.filter(([name]) => !lacking.has(name));
    return {
      // The client may drop any number of rows of a page.
      sent:
        announced.length < sent.length && Object.hasOwn(params, 'limit') ? wholePage(announced) : announced,
      ...defined({ selection }),
    };
  }
}

/** What to send a service for a query, and how to select from all rows if it is asked for them. */
type SendableQuery<R> = {
  readonly sent: ParamTexts;
  readonly selection?: Substitute<R>['selection'];
};

function wholePage(texts: ParamTexts): ParamTexts {
  return [...without(texts, 'limit'), ['limit', String(largestPage)]];
}

function lacksParameter({ path }: Operation<Params, unknown>, name: string, service: string): Problem {
  const detail =
    name === 'as_of'
      ? `the service at ${service} cannot answer as of a day: it does not announce 'as_of' for ${path}`
      : `the service at ${service} does not announce the parameter '${name}'`;
  return new Problem('bad-answer', detail, {
    missing: true,
    hints: ['it is an extension of asof; everything else works'],
  });
}

/** Whether a path has a query parameter, and the value if one is given. */
type Announces = (path: string, parameter: string, value?: string) => boolean;

const announcesNothing: Announces = () => false;

/** What the reply to `/v1/openapi.json` announces; any other content announces nothing. */
function announcedIn(reply: HttpReply): Announces {
  if (reply.status !== 200) return announcesNothing;
  let description: unknown;
  try {
    description = readJson(reply);
  } catch {
    return announcesNothing;
  }
  const paths = Object.entries(objectIn(description, 'paths'));
  return (path, parameter, value) =>
    paths.some(
      ([template, item]) =>
        shape(template) === shape(path) &&
        [...listIn(item, 'parameters'), ...listIn(objectIn(item, 'get'), 'parameters')]
          .map((entry) => resolved(entry, description))
          .some((entry) => entry.in === 'query' && entry.name === parameter && mayBe(value, entry)),
    );
}

/** Whether a parameter may have a value: an older asof announces the parameter with fewer values. */
function mayBe(value: string | undefined, parameter: JsonObject): boolean {
  const choices = listIn(parameter.schema, 'enum');
  return value === undefined || choices.length === 0 || choices.includes(value);
}

/** A path without the names of its parameters, which another service may choose differently. */
function shape(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}');
}

type JsonObject = Readonly<Record<string, unknown>>;

function objectIn(value: unknown, name: string): JsonObject {
  const found = fieldsOf(value)[name];
  return fieldsOf(found);
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const found = fieldsOf(value)[name];
  return Array.isArray(found) ? found : [];
}

function fieldsOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

/** A parameter; if the entry is a reference, the one in the description's components. */
function resolved(entry: unknown, description: unknown): JsonObject {
  const reference = fieldsOf(entry).$ref;
  const name =
    typeof reference === 'string' ? /^#\/components\/parameters\/(.+)$/.exec(reference)?.[1] : undefined;
  if (name === undefined) return fieldsOf(entry);
  return objectIn(objectIn(objectIn(description, 'components'), 'parameters'), name);
}
