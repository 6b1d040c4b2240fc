import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { requestPath } from '../../src/client/remote/url.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { openStore } from '../../src/store/open.ts';
import { answered, contractStore, now, refused } from '../support/contract-cases.ts';
import { scratchFolder } from '../support/folders.ts';
import { startService } from '../support/modes.ts';

const folder = scratchFolder();
const clock = () => now;

describe('the OpenAPI description', () => {
  it('describes every answer and every refusal of the contract cases as it is on the wire', async () => {
    const path = await contractStore(folder);
    const { url, key, stop } = await startService({ openStore: () => openStore(path), clock });
    try {
      const description = (await (await fetch(`${url}/v1/openapi.json`)).json()) as Node;
      const ajv = formats.default(new Ajv2020({ strict: false, validateFormats: true }));
      ajv.addSchema(description, 'api');
      const wrong: unknown[] = [];
      let checked = 0;
      for (const [operation, given] of [...answered, ...refused]) {
        const target = pathOrNothing(operation, given);
        if (target === undefined) continue;
        const response = await fetch(url + target, { headers: { 'x-api-key': key } });
        const type = response.headers.get('content-type') ?? '';
        const described = at(description, [
          'paths',
          operation.path,
          'get',
          'responses',
          String(response.status),
        ]);
        const schema = at(description, ['content', type, 'schema'], described);
        if (schema === undefined) {
          wrong.push([target, response.status, type]);
          continue;
        }
        const validate = ajv.compile(rooted(schema));
        if (!validate(await response.json())) wrong.push([target, validate.errors]);
        checked += 1;
      }
      expect(wrong).toEqual([]);
      expect(checked).toBeGreaterThan(150);
    } finally {
      await stop();
    }
  });
});

/** The path of a request; undefined where no URL can ask for it, and the client answers by itself. */
function pathOrNothing(operation: Operation, given: ParamTexts): string | undefined {
  try {
    return requestPath(operation, given);
  } catch {
    return undefined;
  }
}

type Node = { readonly [name: string]: unknown };

/** The part of the description at a path of names, with references followed. */
function at(
  description: Node,
  place: readonly string[],
  from: Node | undefined = description,
): Node | undefined {
  let node: Node | undefined = from;
  for (const name of place) {
    node = node?.[name] as Node | undefined;
    if (typeof node?.$ref === 'string' && name !== 'schema')
      node = at(description, node.$ref.slice(2).split('/'));
  }
  return node;
}

/** A schema of the description, whose references start at the root of the description. */
function rooted(schema: Node): Node {
  return typeof schema.$ref === 'string' ? { $ref: `api${schema.$ref}` } : schema;
}
