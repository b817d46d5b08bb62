/** A web address as browsers parse it. */
export interface ParsedUrl {
  href: string;
  protocol: string;
  hostname: string;
  origin: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
  username: string;
  password: string;
  searchParams: Iterable<[string, string]> & { get(name: string): string | null };
}

interface Platform {
  URL: { parse(text: string, base?: string): ParsedUrl | null };
  TextDecoder: new (
    label?: string,
    options?: { fatal?: boolean; ignoreBOM?: boolean },
  ) => { readonly encoding: string; decode(bytes: Uint8Array): string };
  atob(text: string): string;
}

/** Available in every environment of this code, but in none of their common type libraries. */
export const { URL, TextDecoder, atob } = globalThis as unknown as Platform;
