/** The user and group `nobody` on Linux. */
const nobody = 65_534;

/**
 * Runs `work` without the rights of the superuser: as the user `nobody`, if root runs the tests. Run the same work once
 * before with full rights, because that user may not be able to load modules.
 */
export async function withoutRights<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0 || process.setegid === undefined || process.seteuid === undefined)
    return work();
  process.setegid(nobody);
  process.seteuid(nobody);
  try {
    return await work();
  } finally {
    process.seteuid(0);
    process.setegid(0);
  }
}
