import envPaths from 'env-paths';

/** The folders in which asof keeps things for this user; they need not exist. */
export type UserFolders = {
  /** For the user's own store. */
  readonly data: string;
  /** For settings and keys. */
  readonly config: string;
};

/** The folders that the system's conventions and this process's environment give to asof (XDG on Linux). */
export function userFolders(): UserFolders {
  return envPaths('asof', { suffix: '' });
}
