import { describe, expect, it } from 'vitest';
import { requestPath } from '../../src/client/remote/client.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { openStore } from '../../src/store/open.ts';
import { answered, contractStore, now, refused } from '../support/contract-cases.ts';
import { Description, type Json } from '../support/description.ts';
import { scratchFolder } from '../support/folders.ts';
import { startService } from '../support/modes.ts';

const folder = scratchFolder();
const clock = () => now;

describe('the OpenAPI description', () => {
  it('describes every answer and every refusal of the contract cases as it is on the wire', async () => {
    const path = await contractStore(folder);
    const { url, key, stop } = await startService({ openStore: () => openStore(path), clock });
    try {
      const api = new Description((await (await fetch(`${url}/v1/openapi.json`)).json()) as Json);
      const wrong: unknown[] = [];
      let checked = 0;
      for (const [operation, given] of [...answered, ...refused]) {
        const target = pathOrNothing(operation, given);
        if (target === undefined) continue;
        const response = await fetch(url + target, { headers: { 'x-api-key': key } });
        const faults = api.faults(operation.path, response, await response.json());
        if (faults.length > 0) wrong.push([target, faults]);
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
