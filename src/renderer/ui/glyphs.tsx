import type { JSX, ReactNode } from 'react';

interface GlyphProps {
  /** Size in CSS pixels; 12 by default. */
  size?: number;
  /** Accessible label; omit it if a word stands beside the glyph. */
  label?: string;
  className?: string;
}

function Svg({ size = 12, label, className, children }: GlyphProps & { children: ReactNode }): JSX.Element {
  const named = label !== undefined;
  return (
    <svg
      viewBox="0 0 12 12"
      width={size}
      height={size}
      className={className}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.3}
      role={named ? 'img' : undefined}
      aria-label={label}
      aria-hidden={named ? undefined : true}
      focusable="false"
    >
      {children}
    </svg>
  );
}

const glyph =
  (drawing: ReactNode, size?: number) =>
  (props: GlyphProps): JSX.Element => (
    <Svg size={size} {...props}>
      {drawing}
    </Svg>
  );

/** A filled shape, in which a shape within another one is a hole. */
const solid = (d: string) => glyph(<path d={d} fill="currentColor" fillRule="evenodd" stroke="none" />);

const OCTAGON = 'M3.65.35h4.7l3.3 3.3v4.7l-3.3 3.3h-4.7l-3.3-3.3v-4.7z';
const CROSS_HOLE =
  'M6 6.99L7.2 8.19 8.19 7.2 6.99 6 8.19 4.8 7.2 3.81 6 5.01 4.8 3.81 3.81 4.8 5.01 6 3.81 7.2 4.8 8.19z';

export const GlyphFound = solid(`${OCTAGON}${CROSS_HOLE}`);

export const GlyphSuspicious = solid(
  'M5.3.9a.8.8 0 0 1 1.4 0l4.9 9.1a.8.8 0 0 1-.7 1.2H1.1a.8.8 0 0 1-.7-1.2zM5.3 4v3.4h1.4V4zm0 4.4v1.4h1.4V8.4z',
);

export const GlyphFoundNoClick = glyph(
  <>
    <path d="M3.9.85h4.2l3.05 3.05v4.2L8.1 11.15H3.9L.85 8.1V3.9z" />
    <path d="M4.3 4.3l3.4 3.4M7.7 4.3L4.3 7.7" />
  </>,
  13,
);

export const GlyphSpam = glyph(
  <>
    <path d="M.75 2.25h10.5v7.5H.75z" strokeLinejoin="round" />
    <path d="M2.6 4.8h6.8M2.6 7.1h3.6M8 7.1h1.4" strokeWidth={1.2} />
  </>,
);

export const GlyphNotScanned = glyph(
  <circle cx="6" cy="6" r="4.9" strokeDasharray="2.35 1.5" strokeDashoffset="1.1" />,
);

/** Nothing found: an open circle, as nothing speaks for the mail either. */
export const GlyphNothingFound = glyph(<circle cx="6" cy="6" r="3.6" />);

export const GlyphClean = glyph(<path d="M1.7 6.5l2.9 2.9L10.3 3.2" strokeWidth={1.6} />);

export const GlyphDash = glyph(<path d="M2.5 6h7" />);

export const GlyphUnknown = glyph(
  <>
    <circle cx="6" cy="6" r="5.2" strokeWidth={1.1} />
    <path d="M4.5 4.8a1.5 1.5 0 1 1 2.3 1.25c-.5.33-.8.6-.8 1.15M6 8.4v.9" strokeWidth={1.1} />
  </>,
);

export const GlyphUnknownFilled = glyph(
  <>
    <circle cx="6" cy="6" r="5.7" fill="currentColor" stroke="none" />
    <path d="M4.4 4.7a1.6 1.6 0 1 1 2.45 1.33c-.5.33-.85.62-.85 1.17M6 8.5v1" stroke="var(--bg2)" />
  </>,
);

export const GlyphError = solid(
  'M6 .2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 6 .2zM5.3 2.7v4.1h1.4V2.7zm0 5.2v1.4h1.4V7.9z',
);

export const GlyphEnabled = glyph(
  <>
    <circle cx="6" cy="6" r="5.5" fill="currentColor" stroke="none" />
    <path d="M3.4 6.2l1.8 1.8 3.4-3.7" stroke="var(--bg2)" strokeWidth={1.5} />
  </>,
);

export const GlyphDisabled = glyph(
  <>
    <circle cx="6" cy="6" r="4.9" />
    <path d="M2.6 9.4l6.8-6.8" />
  </>,
);

export const GlyphEye = glyph(
  <>
    <path d="M.6 6S2.6 2.4 6 2.4 11.4 6 11.4 6 9.4 9.6 6 9.6.6 6 .6 6z" strokeLinejoin="round" />
    <circle cx="6" cy="6" r="1.7" fill="currentColor" stroke="none" />
  </>,
);

export const GlyphDot = glyph(<circle cx="6" cy="6" r="3" fill="currentColor" stroke="none" />);

export const GlyphHalf = glyph(
  <>
    <circle cx="6" cy="6" r="3.9" strokeWidth={1.2} />
    <path d="M6 2.1a3.9 3.9 0 0 1 0 7.8z" fill="currentColor" stroke="none" />
  </>,
);

export const GlyphSaved = glyph(
  <>
    <circle cx="6" cy="6" r="3.5" />
    <path d="M2 10L10 2" />
  </>,
);

export const GlyphFailed = glyph(<path d="M2.7 2.7l6.6 6.6M9.3 2.7L2.7 9.3" strokeWidth={1.5} />);

/** Loading: an arc that turns (still under reduced motion). */
export const GlyphArc = (props: GlyphProps) => (
  <Svg {...props} className={`pp-spin ${props.className ?? ''}`}>
    <path d="M6 1.8a4.2 4.2 0 1 1-3.64 2.1" strokeWidth={1.5} />
  </Svg>
);

export const GlyphPlay = solid('M3 1.8l6.5 4.2L3 10.2z');

export const GlyphPause = solid('M2.5 2h2.5v8H2.5zM7 2h2.5v8H7z');

export const GlyphStop = solid('M2 2h8v8H2z');

export const GlyphDisk = glyph(
  <path d="M1 1h8.5L11 2.5V11H1zM3.5 1v3h4.5V1M3 11V6.9h6V11" strokeWidth={1.2} />,
);

export const GlyphCloudOff = glyph(
  <>
    <path
      d="M3.8 9.8h5.4a2.1 2.1 0 0 0 .7-4.08 3.05 3.05 0 0 0-4.4-1.9M3.7 4.6a3 3 0 0 0-.12.9A2.2 2.2 0 0 0 3.8 9.8"
      strokeWidth={1.2}
    />
    <path d="M1.5 1.5l9 9.5" strokeWidth={1.3} />
  </>,
  14,
);

/** Parapet's mark: a crenellated tower that ends as a shield, stone colour. */
export function ParapetMark({ size = 16, label }: { size?: number; label?: string }): JSX.Element {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      <path fill="var(--stone)" d="M0 0h4v2h2V0h4v2h2V0h4v8.5c0 4-3.5 6.5-8 7.5-4.5-1-8-3.5-8-7.5z" />
    </svg>
  );
}

/** The empty state's rampart: a battlement over a stone line. */
export function Rampart(): JSX.Element {
  return (
    <svg viewBox="0 0 50 28" width={50} height={28} fill="none" strokeWidth={2} aria-hidden="true">
      <path stroke="var(--line2)" d="M1 27V1h8v6h8V1h8v6h8V1h8v6h8v20" />
      <path stroke="var(--stone)" d="M1 26h48" />
    </svg>
  );
}
