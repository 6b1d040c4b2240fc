/** The user and group `nobody` on Linux. */
const nobody = 65_534;

/**
 * Does something without the rights of the superuser, who may read and write everything: as the user nobody, if root runs
 * the tests. Run the same work once before with these rights, because modules that load meanwhile may be out of reach.
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
