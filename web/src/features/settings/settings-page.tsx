import { getVillageSettings, type VillageSetting } from '@hamlet/contract';
import { loadBrand } from '../../client/brand.ts';
import { useLive } from '../../client/query/use-live.ts';
import { Part, Unread } from '../../ui/controls.tsx';
import { Page } from '../navigation/page.tsx';
import { useVillage } from '../village-context.ts';
import { kindOf, valueLabel } from './setting-draft.ts';
import { SettingForm } from './setting-form.tsx';
import './settings.css';

const REFRESH_MS = 15_000;

export function SettingsPage() {
  return (
    <Page
      title="Village settings"
      intro="Changes apply at once, for everyone, and the audit records them."
      needs="village:settings"
    >
      <Settings />
    </Page>
  );
}

function Settings() {
  const { api, store } = useVillage();
  const { data, refused, again } = useLive(getVillageSettings, {}, REFRESH_MS);
  const changed = (): void => {
    again();
    void loadBrand(api, store);
  };
  if (data === null) return <Unread refused={refused} />;
  const here = data.settings.flatMap((setting) => {
    const kind = kindOf(setting);
    return kind === null ? [] : [{ setting, kind }];
  });
  const elsewhere = data.settings.filter((setting) => kindOf(setting) === null);
  return (
    <>
      <div className="settings">
        {here.map(({ setting, kind }) => (
          <SettingForm key={setting.key} setting={setting} kind={kind} onChanged={changed} />
        ))}
      </div>
      {elsewhere.length > 0 && (
        <Part name="Set in the chart" className="card settings-chart">
          <p className="hint">Change these in the values of the chart, then run helm upgrade.</p>
          <ul>
            {elsewhere.map((setting) => (
              <ChartLine key={setting.key} setting={setting} />
            ))}
          </ul>
        </Part>
      )}
    </>
  );
}

function ChartLine({ setting: { key, title, what, value, where } }: { readonly setting: VillageSetting }) {
  return (
    <li data-setting={key}>
      <b>{title}</b>
      {value !== null && <>: {valueLabel(value)}</>} {where !== null && <code>{where}</code>}
      <p className="hint">{what}</p>
    </li>
  );
}
