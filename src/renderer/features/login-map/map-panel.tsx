import {
  type JSX,
  type KeyboardEvent,
  memo,
  type PointerEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { GlyphArc } from '#renderer/ui/glyphs.tsx';
import { useDelayed } from '#renderer/ui/skeleton.tsx';
import { onThemeChange } from '#renderer/ui/theme.ts';
import type { MapPlaces } from './engine.ts';
import type { LoginClient } from './login-client.ts';
import { MapControls } from './map-controls.tsx';
import { drawMap, type MapColours, readColours, type Scene } from './map-draw.ts';
import { MapTip } from './map-tip.tsx';
import {
  densityOf,
  FINE_FROM,
  type Mark,
  markAt,
  marksOf,
  openMark,
  panBy,
  type Size,
  type View,
  wholeWorld,
  zoomAt,
  zoomOf,
} from './map-view.ts';

export interface MapHandle {
  scene: () => Scene;
  canvas: () => HTMLCanvasElement | null;
  land: () => readonly string[];
  colours: () => MapColours;
}

interface MapPanelProps {
  client: LoginClient | null;
  places: MapPlaces | null;
  density: boolean;
  /** What is loaded while the points of the choice before are still shown; null: nothing is. */
  waiting: string | null;
  /** Why there is no zooming in; null: there is. */
  zoomRefused: string | null;
  /** A point, or a cluster that cannot be opened. */
  onMark: (mark: Mark, at: { x: number; y: number }) => void;
  handle: { current: MapHandle | null };
  label: string;
}

const NO_SIZE: Size = { width: 0, height: 0 };

function useLand(client: LoginClient | null, fine: boolean) {
  const [land, setLand] = useState<{ paths: readonly string[]; shapes: readonly Path2D[] }>({
    paths: [],
    shapes: [],
  });
  useEffect(() => {
    let left = false;
    client?.ask('land', { fine }).then(
      (paths) => {
        if (!left) setLand({ paths, shapes: paths.map((path) => new Path2D(path)) });
      },
      () => undefined,
    );
    return () => {
      left = true;
    };
  }, [client, fine]);
  return land;
}

/** The world on a canvas, without any request; arrows move, plus and minus zoom, N and P go from mark to mark. */
export const MapPanel = memo(function MapPanel(props: MapPanelProps): JSX.Element {
  const { client, places, density, zoomRefused, onMark, handle } = props;
  const late = useDelayed(props.waiting !== null);
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<Size>(NO_SIZE);
  const [chosen, setView] = useState<View | null>(null);
  const [focus, setFocus] = useState<Mark | null>(null);
  const [colours, setColours] = useState<MapColours>(readColours);
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const view = useMemo(
    () => (chosen && zoomRefused === null ? chosen : wholeWorld(size)),
    [chosen, zoomRefused, size],
  );
  const zoom = size.width > 0 ? zoomOf(view, size) : 1;
  const land = useLand(client, zoom >= FINE_FROM);
  const marks = useRef<Mark[]>([]);
  const ready = places !== null && size.width > 0;

  useEffect(() => onThemeChange(() => setColours(readColours())), []);
  useEffect(() => {
    const node = frame.current;
    if (!node) return undefined;
    const observer = new ResizeObserver(() => {
      if (node.clientWidth > 0) setSize({ width: node.clientWidth, height: node.clientHeight });
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || size.width === 0) return undefined;
    const request = requestAnimationFrame(() => {
      marks.current = ready && !density ? marksOf(places, view, size) : [];
      const cells = ready && density ? densityOf(places, view, size) : null;
      const focused = focus ? (marks.current.find(({ place }) => place === focus.place) ?? null) : null;
      const scene: Scene = { view, size, marks: marks.current, density: cells, focused };
      drawMap(context, land.shapes, scene, colours, devicePixelRatio);
      handle.current = {
        scene: () => scene,
        canvas: () => canvas.current,
        land: () => land.paths,
        colours: () => colours,
      };
    });
    return () => cancelAnimationFrame(request);
  }, [ready, places, density, view, size, land, colours, focus, handle]);

  const zoomBy = (factor: number, x = size.width / 2, y = size.height / 2) => {
    if (factor > 1 && zoomRefused !== null) return;
    setFocus(null);
    setView(zoomAt(view, size, factor, x, y));
  };
  const open = (mark: Mark) => {
    if (mark.places > 1 && zoomRefused === null && zoom < 150) {
      setFocus(null);
      setView(openMark(mark, size));
    } else onMark(mark, { x: mark.x, y: mark.y });
  };
  const step = (by: number) => {
    const list = [...marks.current].reverse();
    const at = focus ? list.findIndex(({ place }) => place === focus.place) : -1;
    setFocus(list[(at + by + list.length) % list.length] ?? null);
  };
  // Zooming by wheel must keep the page still, which a passive listener cannot.
  const wheel = useRef(zoomBy);
  wheel.current = zoomBy;
  useEffect(() => {
    const node = canvas.current;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      wheel.current(event.deltaY < 0 ? 1.25 : 0.8, event.offsetX, event.offsetY);
    };
    node?.addEventListener('wheel', onWheel, { passive: false });
    return () => node?.removeEventListener('wheel', onWheel);
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => setView(panBy(view, size, -48, 0)),
      ArrowRight: () => setView(panBy(view, size, 48, 0)),
      ArrowUp: () => setView(panBy(view, size, 0, -48)),
      ArrowDown: () => setView(panBy(view, size, 0, 48)),
      '+': () => zoomBy(1.5),
      '=': () => zoomBy(1.5),
      '-': () => zoomBy(1 / 1.5),
      '0': () => setView(null),
      n: () => step(1),
      p: () => step(-1),
      Enter: () => focus && open(focus),
      ' ': () => focus && onMark(focus, { x: focus.x, y: focus.y }),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  const at = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const onPointerMove = (event: PointerEvent) => {
    const { x, y } = at(event);
    if (drag.current) {
      const dx = drag.current.x - x;
      const dy = drag.current.y - y;
      if (!drag.current.moved && Math.hypot(dx, dy) < 4) return;
      drag.current = { x, y, moved: true };
      setView(panBy(view, size, dx, dy));
      return;
    }
    setFocus(markAt(marks.current, x, y));
  };
  const onPointerUp = (event: PointerEvent) => {
    const moved = drag.current?.moved;
    drag.current = null;
    const { x, y } = at(event);
    const mark = moved ? null : markAt(marks.current, x, y);
    if (mark) open(mark);
  };

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
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            drag.current = { ...at(event), moved: false };
          }}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
          onPointerLeave={() => !drag.current && setFocus(null)}
        >
          <canvas
            ref={canvas}
            className="pp-map-canvas"
            width={Math.max(1, Math.round(size.width * devicePixelRatio))}
            height={Math.max(1, Math.round(size.height * devicePixelRatio))}
          />
        </button>
        {focus && places && client ? (
          <MapTip key={focus.place} mark={focus} places={places} client={client} size={size} />
        ) : null}
      </div>
      <span id="login-map-keys" className="pp-visually-hidden">
        Arrows move the map, plus and minus zoom, 0 shows the whole world. N and P go from mark to mark, the
        rarest first; Enter opens one, Space lists its actions. The table lists every login.
      </span>
      <MapControls
        zoomRefused={zoomRefused}
        isWhole={zoom <= 1.01}
        density={density}
        onZoom={zoomBy}
        onWhole={() => setView(null)}
      />
      {late ? (
        <div className="pp-map-waiting" role="status">
          <GlyphArc size={12} />
          {props.waiting}
        </div>
      ) : null}
    </section>
  );
});
