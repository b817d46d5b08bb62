/** The package declares only its functions, which need Node. */
declare module 'iconv-lite/encodings/*' {
  const encodings: Readonly<Record<string, string | { readonly type: string; readonly chars?: string }>>;
  export default encodings;
}
