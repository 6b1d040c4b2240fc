import type { TestProject } from 'vitest/node';
import { type Cluster, startCluster } from './cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the PostgreSQL server that all test files share. */
    postgres: string;
  }
}

/** The server of a run and how many projects use it: each project calls `setup`, with modules of its own. */
type Shared = { readonly cluster: Promise<Cluster>; users: number };

const place = globalThis as { asofTestCluster?: Shared };

/** Starts one PostgreSQL server for all projects of a run; stops it with the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  place.asofTestCluster ??= { cluster: startCluster(), users: 0 };
  const shared = place.asofTestCluster;
  shared.users += 1;
  project.provide('postgres', (await shared.cluster).url);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete place.asofTestCluster;
    await (await shared.cluster).remove();
  };
}
