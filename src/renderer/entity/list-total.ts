interface FirstPage {
  rows: readonly unknown[];
  total_rows?: number | null | undefined;
}

/**
 * Number of rows of a list that is read in pages of `page` rows. null: unknown, as the service gives no count and its
 * first page is full.
 */
export const listTotal = (first: FirstPage | undefined, page: number): number | null =>
  first === undefined ? null : (first.total_rows ?? (first.rows.length < page ? first.rows.length : null));
