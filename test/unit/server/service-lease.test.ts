import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import { type OpenService, Services } from '../../../src/server/service-lease.ts';
import { TableWorkers } from '../../../src/server/table-workers.ts';

/** A service with a name, which records whether it was closed. */
function newService(name: string): OpenService & { closed: boolean } {
  const fail = () => Promise.reject(new Error('no test asks this service'));
  const made = {
    service: {
      answer: fail,
      answerTogether: () => [fail()],
      reply: fail,
      state: async () => name,
      refusal: (reason: string) => new Problem('plan-upgrade-required', reason),
      status: fail,
      followed: fail,
    },
    address: name,
    tables: new TableWorkers({ address: name }),
    closed: false,
    close: async () => {
      made.closed = true;
    },
  };
  return made;
}

describe('a service that is replaced', () => {
  it('stays open until the requests that began with it have ended', async () => {
    const [first, second] = [newService('first'), newService('second')];
    const services = new Services(first);
    const [one, two] = [services.lease(), services.lease()];
    services.replace(second);
    expect(await services.lease().service.state()).toBe('second');
    expect(await one.service.state()).toBe('first');
    one.release();
    one.release();
    expect(first.closed).toBe(false);
    two.release();
    expect(first.closed).toBe(true);
    expect(second.closed).toBe(false);
  });

  it('is closed at once when it is not in use', () => {
    const first = newService('first');
    new Services(first).replace(newService('second'));
    expect(first.closed).toBe(true);
  });

  it('is closed after its last request', async () => {
    const first = newService('first');
    const services = new Services(first);
    const lease = services.lease();
    const closed = services.close();
    expect(first.closed).toBe(false);
    lease.release();
    await closed;
    expect(first.closed).toBe(true);
  });
});
