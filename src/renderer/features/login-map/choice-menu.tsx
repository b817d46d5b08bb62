import { Button, Menu, MenuDivider, MenuItem } from '@blueprintjs/core';
import { Application, CaretDown, Disable, Help, TickCircle } from '@blueprintjs/icons';
import { type JSX, memo } from 'react';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { exact } from '#shared/model/format.ts';
import { type Choice, layersOf, type Saas, sameChoice, sameLayer } from './choices.ts';
import { CHOICE_LABELS } from './labels.ts';
import type { LayerRead } from './use-layers.ts';

interface ChoiceMenuProps {
  choice: Choice;
  apps: readonly Saas[];
  layers: readonly LayerRead[];
  /** Modules that have logins with an unknown outcome. */
  withUnknown: ReadonlySet<string>;
  /** Decoding errors of layers that were answered, by module and outcome. */
  broken: (layer: LayerRead) => string | null;
  onChoose: (choice: Choice) => void;
}

/** Rows behind a choice and how many of its layers have none because they failed. */
function tally({ choice, apps, layers, withUnknown, broken }: ChoiceMenuProps, of: Choice) {
  const chosenLayers = layersOf(of, apps, withUnknown);
  const mine = layers.filter((layer) => chosenLayers.some((other) => sameLayer(other, layer)));
  const failed = mine.filter((layer) => layer.error !== null || broken(layer) !== null).length;
  const totals = mine.flatMap(({ total }) => total ?? []);
  return {
    failed,
    isAll: failed === mine.length && mine.length > 0,
    loading: mine.some(({ loading }) => loading),
    count: totals.length > 0 ? totals.reduce((sum, each) => sum + each, 0) : null,
    isChosen: sameChoice(choice, of),
  };
}

function Count({ counts }: { counts: ReturnType<typeof tally> }): JSX.Element {
  if (counts.isAll) return <span className="pp-danger">failed to load</span>;
  const count = counts.count === null ? (counts.loading ? 'loading' : 'unknown') : exact(counts.count);
  return (
    <span className="pp-t3">
      {counts.failed > 0 ? <span className="pp-danger">{counts.failed} failed · </span> : null}
      {count}
    </span>
  );
}

export const choiceName = (choice: Choice, apps: readonly Saas[]): string =>
  typeof choice === 'object'
    ? (apps.find(({ module }) => module === choice.module)?.label ?? choice.module)
    : CHOICE_LABELS[choice];

const iconOf = (choice: Choice) =>
  choice === 'successful' ? (
    <TickCircle size={14} />
  ) : choice === 'failed' ? (
    <Disable size={14} />
  ) : choice === 'unknown' ? (
    <Help size={14} />
  ) : (
    <Application size={14} />
  );

/** All successful, all failed, unknown outcome, or one SaaS, each with its exact count. */
export const ChoiceMenu = memo(function ChoiceMenu(props: ChoiceMenuProps): JSX.Element {
  const { choice, apps, onChoose } = props;
  const item = (of: Choice) => {
    const counts = tally(props, of);
    return (
      <MenuItem
        key={typeof of === 'object' ? of.module : of}
        icon={iconOf(of)}
        text={choiceName(of, apps)}
        labelElement={<Count counts={counts} />}
        roleStructure="listoption"
        selected={counts.isChosen}
        onClick={() => onChoose(of)}
      />
    );
  };
  return (
    <MenuPopover
      placement="bottom-start"
      content={
        <Menu aria-label="Logins to show" className="pp-map-choices">
          {item('successful')}
          {item('failed')}
          {props.withUnknown.size > 0 || choice === 'unknown' ? item('unknown') : null}
          <MenuDivider title="By app, all outcomes" />
          {apps.map(({ module }) => item({ module }))}
        </Menu>
      }
    >
      <Button
        icon={iconOf(choice)}
        endIcon={<CaretDown size={14} />}
        text={choiceName(choice, apps)}
        aria-label={`Logins to show: ${choiceName(choice, apps)}`}
      />
    </MenuPopover>
  );
});
