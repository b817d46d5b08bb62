/** A page of docs/guide as the build makes it (scripts/guide-pages.ts). */
export type GuideInline =
  | { kind: 'text' | 'strong' | 'code'; text: string }
  /** `to` is a path from docs/guide. */
  | { kind: 'link'; text: string; to: string }
  /** `from` is a path from docs/guide; in the window, the address of the picture. */
  | { kind: 'image'; text: string; from: string };

export type GuideBlock =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; inline: readonly GuideInline[] }
  | { kind: 'code'; text: string }
  | { kind: 'list'; items: readonly (readonly GuideInline[])[] }
  | {
      kind: 'table';
      header: readonly (readonly GuideInline[])[];
      rows: readonly (readonly (readonly GuideInline[])[])[];
    };

export interface GuidePage {
  title: string;
  blocks: readonly GuideBlock[];
}
