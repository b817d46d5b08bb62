import type { CustomHeaderProps } from 'ag-grid-react';
import type { JSX } from 'react';
import { useContext, useEffect, useRef, useState } from 'react';
import { exact } from '#shared/model/format.ts';
import { GridSelectionContext } from './grid-selection.ts';

type State = 'none' | 'some' | 'all';

/**
 * The header checkbox. It selects the loaded rows and states their number; "all matching" is
 * offered separately by the page with its exact count (product.md, honest select-all).
 */
export function SelectLoaded<T>({ api }: CustomHeaderProps<T>): JSX.Element {
  const box = useRef<HTMLInputElement>(null);
  const context = useContext(GridSelectionContext);
  const [drawn, setState] = useState<State>('none');
  const [loaded, setLoaded] = useState(0);
  const isKept = context !== null;
  useEffect(() => {
    // Uses the page's count, because visiting all grid rows for each block would drop frames while scrolling.
    if (isKept) return undefined;
    const read = () => {
      // The library reports changes with a delay, when the grid may already be destroyed.
      if (api.isDestroyed()) return;
      let rows = 0;
      let selected = 0;
      api.forEachNode((node) => {
        if (!node.data) return;
        rows += 1;
        if (node.isSelected()) selected += 1;
      });
      setLoaded(rows);
      setState(selected === 0 ? 'none' : selected === rows ? 'all' : 'some');
    };
    read();
    api.addEventListener('selectionChanged', read);
    api.addEventListener('modelUpdated', read);
    return () => {
      if (api.isDestroyed()) return;
      api.removeEventListener('selectionChanged', read);
      api.removeEventListener('modelUpdated', read);
    };
  }, [api, isKept]);
  const state = context?.box ?? drawn;
  useEffect(() => {
    if (box.current) box.current.indeterminate = state === 'some';
  }, [state]);
  const label =
    context?.boxLabel ??
    (state === 'none' ? `Select the ${exact(loaded)} loaded rows` : 'Clear the selection');
  const toggle = () => {
    if (context) {
      context.onBox();
      return;
    }
    if (state !== 'none') {
      api.deselectAll();
      return;
    }
    const nodes: Parameters<typeof api.setNodesSelected>[0]['nodes'] = [];
    api.forEachNode((node) => {
      if (node.data) nodes.push(node);
    });
    api.setNodesSelected({ nodes, newValue: true });
  };
  return (
    <input
      ref={box}
      type="checkbox"
      className="pp-check"
      checked={state === 'all'}
      onChange={toggle}
      aria-label={label}
      title={label}
    />
  );
}
