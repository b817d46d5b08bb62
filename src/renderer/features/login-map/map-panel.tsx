import {
  type CSSProperties,
  type JSX,
  type KeyboardEvent,
  memo,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { GlyphArc } from '#renderer/ui/glyphs.tsx';
import { useDelayed } from '#renderer/ui/skeleton.tsx';
import { onThemeChange } from '#renderer/ui/theme.ts';
import { useSize } from '#renderer/ui/use-size.ts';
import type { MapSummary } from './engine.ts';
import type { LoginClient } from './login-client.ts';
import { type MapColours, readColours } from './map-colours.ts';
import { MapControls, MapTip } from './map-controls.tsx';
import {
  type Mark,
  markAt,
  openMark,
  panBy,
  type Size,
  type View,
  wholeWorld,
  zoomAt,
  zoomOf,
} from './map-view.ts';
import type { MapPicture, PictureAsk } from './picture.ts';
import { useLatest } from './use-logins.ts';

/** The map picture, drawn by the worker for each request and each `summary`; the previous one stays until it arrives. */
function usePicture(client: LoginClient | null, ask: PictureAsk, summary: unknown): MapPicture | null {
  const [picture, setPicture] = useState<MapPicture | null>(null);
  const draw = useCallback(
    async (request: PictureAsk) => {
      const drawn = await client?.ask('picture', request).catch(() => null);
      // If the map cannot be drawn, the lists still show everything.
      if (drawn) setPicture(drawn);
    },
    [client],
  );
  const drawNewest = useLatest(draw);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new summary needs a new picture.
  useEffect(() => {
    if (ask.size.width > 0) drawNewest(ask);
  }, [drawNewest, ask, summary]);
  return picture;
}

interface MapPanelProps {
  client: LoginClient | null;
  summary: MapSummary | null;
  density: boolean;
  /** What is loading while the previous choice's points are still shown, or null if there is nothing. */
  waiting: string | null;
  /** Message over a map without points, or null if there are points, or they are still loading. */
  note: string | null;
  /** Why zooming in is disabled, or null if it is enabled. */
  zoomRefused: string | null;
  /** A point, or a cluster that cannot be opened. */
  onMark: (mark: Mark, point: { x: number; y: number }) => void;
  /** The current picture, for export. */
  handle: { current: PictureAsk | null };
  label: string;
}

const NO_MARKS: readonly Mark[] = [];
/** Gap between the focused mark and its ring. */
const FOCUS_GAP = 7;

/** Position of the picture: an outdated picture is moved and scaled until the new one is drawn. */
function placeOf(picture: MapPicture, view: View, size: Size): CSSProperties {
  const factor = view.scale / picture.view.scale;
  const width = picture.size.width * factor;
  const height = picture.size.height * factor;
  const x = (size.width - width) / 2 + (picture.view.x - view.x) * view.scale;
  const y = (size.height - height) / 2 + (picture.view.y - view.y) * view.scale;
  return { width, height, transform: `translate(${x}px, ${y}px)` };
}

const ringOf = ({ x, y, radius }: Mark): CSSProperties => {
  const reach = radius + FOCUS_GAP;
  return { left: x - reach, top: y - reach, width: 2 * reach, height: 2 * reach };
};

function usePainted(canvas: RefObject<HTMLCanvasElement | null>, picture: MapPicture | null): void {
  // Before the frame is painted: picture and position must change together.
  useLayoutEffect(() => {
    const node = canvas.current;
    if (!node || !picture) return;
    const { bitmap } = picture;
    if (node.width !== bitmap.width) node.width = bitmap.width;
    if (node.height !== bitmap.height) node.height = bitmap.height;
    // Uses a software canvas, because the first draw on a GPU canvas blocks.
    node.getContext('2d', { alpha: false, willReadFrequently: true })?.drawImage(bitmap, 0, 0);
    bitmap.close();
  }, [canvas, picture]);
}

type ZoomBy = (factor: number, x?: number, y?: number) => void;

/** Zooming by wheel must keep the page still, which a passive listener cannot. */
function useWheel(frame: RefObject<HTMLDivElement | null>, zoomBy: ZoomBy): void {
  const wheel = useRef(zoomBy);
  wheel.current = zoomBy;
  useEffect(() => {
    const node = frame.current;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = node?.getBoundingClientRect() ?? { left: 0, top: 0 };
      wheel.current(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - box.left, event.clientY - box.top);
    };
    node?.addEventListener('wheel', onWheel, { passive: false });
    return () => node?.removeEventListener('wheel', onWheel);
  }, [frame]);
}

const pointIn = (event: PointerEvent) => {
  const box = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};

/** Dragging moves the map; otherwise the pointer focuses marks, and a click opens one. */
function usePointer(map: {
  marks: readonly Mark[];
  onPan: (dx: number, dy: number) => void;
  onFocus: (mark: Mark | null) => void;
  onOpen: (mark: Mark) => void;
}) {
  const { marks } = map;
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { ...pointIn(event), moved: false };
    },
    onPointerMove: (event: PointerEvent) => {
      const { x, y } = pointIn(event);
      if (!drag.current) {
        map.onFocus(markAt(marks, x, y));
        return;
      }
      const dx = drag.current.x - x;
      const dy = drag.current.y - y;
      if (!drag.current.moved && Math.hypot(dx, dy) < 4) return;
      drag.current = { x, y, moved: true };
      map.onPan(dx, dy);
    },
    onPointerUp: (event: PointerEvent) => {
      const moved = drag.current?.moved;
      drag.current = null;
      const { x, y } = pointIn(event);
      const mark = moved ? null : markAt(marks, x, y);
      if (mark) map.onOpen(mark);
    },
    onPointerLeave: () => {
      if (!drag.current) map.onFocus(null);
    },
  };
}

const onKeys = (moves: Readonly<Record<string, () => void>>) => (event: KeyboardEvent) => {
  const move = event.ctrlKey || event.metaKey || event.altKey ? undefined : moves[event.key];
  if (!move) return;
  event.preventDefault();
  event.stopPropagation();
  move();
};

/** The part of the world that is shown: all of it until the analyst zooms, and where zooming is refused. */
function useView(size: Size, canZoom: boolean) {
  const [chosen, setView] = useState<View | null>(null);
  const view = useMemo(() => (chosen && canZoom ? chosen : wholeWorld(size)), [chosen, canZoom, size]);
  return { view, setView, zoom: size.width > 0 ? zoomOf(view, size) : 1 };
}

/** Over the map: what is loading, once it takes long, or else why there are no points. */
function MapNote({ waiting, note }: Pick<MapPanelProps, 'waiting' | 'note'>): JSX.Element | null {
  const isLate = useDelayed(waiting !== null);
  if (!isLate && !note) return null;
  return (
    <div className="pp-map-waiting" role="status">
      {isLate ? <GlyphArc size={12} /> : null}
      {isLate ? waiting : note}
    </div>
  );
}

/** The world on a canvas, without any request; arrows move, plus and minus zoom, N and P go from mark to mark. */
export const MapPanel = memo(function MapPanel(props: MapPanelProps): JSX.Element {
  const { client, summary, density, zoomRefused, onMark, handle } = props;
  const [frame, size] = useSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [focus, setFocus] = useState<Mark | null>(null);
  const [colours, setColours] = useState<MapColours>(readColours);
  const { view, setView, zoom } = useView(size, zoomRefused === null);
  const ask = useMemo<PictureAsk>(
    () => ({ view, size, ratio: devicePixelRatio, density, colours }),
    [view, size, density, colours],
  );
  const picture = usePicture(client, ask, summary);
  const marks = picture?.marks ?? NO_MARKS;
  const focused = marks.find(({ place }) => place === focus?.place) ?? null;

  useEffect(() => onThemeChange(() => setColours(readColours())), []);
  usePainted(canvas, picture);
  useEffect(() => {
    handle.current = ask;
  }, [handle, ask]);

  const zoomBy: ZoomBy = (factor, x = size.width / 2, y = size.height / 2) => {
    if (factor > 1 && zoomRefused !== null) return;
    setFocus(null);
    setView(zoomAt(view, size, factor, x, y));
  };
  /** With its position in the window, for a menu. */
  const showActions = (mark: Mark) => {
    const { left = 0, top = 0 } = frame.current?.getBoundingClientRect() ?? {};
    onMark(mark, { x: left + mark.x, y: top + mark.y });
  };
  const open = (mark: Mark) => {
    if (mark.places > 1 && zoomRefused === null && zoom < 150) {
      setFocus(null);
      setView(openMark(mark, size));
    } else showActions(mark);
  };
  const step = (by: number) => {
    const list = marks.toReversed();
    const index = focus ? list.findIndex(({ place }) => place === focus.place) : -1;
    setFocus(list[(index + by + list.length) % list.length] ?? null);
  };
  const pan = (dx: number, dy: number) => setView(panBy(view, size, dx, dy));
  useWheel(frame, zoomBy);
  const pointer = usePointer({ marks, onPan: pan, onFocus: setFocus, onOpen: open });

  const onKeyDown = onKeys({
    ArrowLeft: () => pan(-48, 0),
    ArrowRight: () => pan(48, 0),
    ArrowUp: () => pan(0, -48),
    ArrowDown: () => pan(0, 48),
    '+': () => zoomBy(1.5),
    '=': () => zoomBy(1.5),
    '-': () => zoomBy(1 / 1.5),
    '0': () => setView(null),
    n: () => step(1),
    p: () => step(-1),
    Enter: () => focused && open(focused),
    ' ': () => focused && showActions(focused),
  });
  return (
    <section className="pp-panel pp-map" aria-label="Map">
      <div ref={frame} className="pp-map-frame">
        <button
          type="button"
          className="pp-map-view"
          style={{ cursor: focus ? 'pointer' : 'grab' }}
          aria-label={props.label}
          aria-describedby="login-map-keys"
          onKeyDown={onKeyDown}
          {...pointer}
        >
          <canvas
            ref={canvas}
            className="pp-map-canvas"
            data-rows={picture?.rows ?? ''}
            style={picture ? placeOf(picture, view, size) : undefined}
          />
          {focused ? <span className="pp-map-focus" style={ringOf(focused)} /> : null}
        </button>
        {focused && client ? <MapTip key={focused.place} mark={focused} client={client} size={size} /> : null}
      </div>
      <span id="login-map-keys" className="pp-visually-hidden">
        Arrows move the map, plus and minus zoom, 0 shows the whole world. N and P go from mark to mark, the
        rarest first; Enter opens one, Space lists its actions. The table lists every login.
      </span>
      <MapControls
        zoomRefused={zoomRefused}
        isEmpty={(picture?.rows ?? 0) === 0}
        isWhole={zoom <= 1.01}
        density={density}
        onZoom={zoomBy}
        onWhole={() => setView(null)}
      />
      <MapNote waiting={props.waiting} note={props.note} />
    </section>
  );
});
