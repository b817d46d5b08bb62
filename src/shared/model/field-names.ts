/** Names of fields, which services spell in several ways. */

/** Equal for every spelling of a name: `total_rows`, `totalRows`, `Total-Rows`. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The specification speaks of an "entity id", without a spelling. */
export const isEntityIdName = (name: string): boolean => /^entity[^a-z0-9]*id$/i.test(name);

/** The id of the entity that a row stands for. */
export function entityIdIn(row: Readonly<Record<string, unknown>>): unknown {
  if (row['entity_id'] != null) return row['entity_id'];
  const name = Object.keys(row).find((key) => isEntityIdName(key) && row[key] != null);
  return name === undefined ? undefined : row[name];
}
