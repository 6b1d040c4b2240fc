import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { userFolders } from '../../../src/platform/installation.ts';

afterEach(() => vi.unstubAllEnvs());

// https://specifications.freedesktop.org/basedir-spec/latest/
describe('the folders of a user of Linux', () => {
  it('are in those of the XDG variables', () => {
    vi.stubEnv('XDG_DATA_HOME', '/d');
    vi.stubEnv('XDG_CONFIG_HOME', '/c');
    expect(userFolders()).toMatchObject({ data: '/d/asof', config: '/c/asof' });
  });

  it('are below the home where the XDG variables are empty', () => {
    vi.stubEnv('XDG_DATA_HOME', '');
    vi.stubEnv('XDG_CONFIG_HOME', '');
    expect(userFolders()).toMatchObject({
      data: join(homedir(), '.local/share/asof'),
      config: join(homedir(), '.config/asof'),
    });
  });
});
