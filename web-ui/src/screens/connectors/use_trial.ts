// Whether a draft is right, as the plugin itself says: asked a moment after each change, stores nothing.
import { useEffect, useState } from "preact/hooks";
import { path, send, sentence } from "../../api/client";
import type { Validation } from "../../api/connectors";
import { CLASS, type Draft } from "./draft";

const PAUSE_MS = 400;

export interface Trial {
  /** Of the last draft that was tried. */
  validation: Validation | null;
  /** It could not be asked. */
  problem: string | null;
  /** What is told is of the draft as it is now. */
  isCurrent: boolean;
  /** Now, without the pause. */
  ask(): Promise<Validation>;
}

export function useTrial(clusterId: string, plugin: string, draft: Draft, connector: string | null): Trial {
  const [told, setTold] = useState<{ of: string; validation: Validation | null; problem: string | null }>({ of: "", validation: null, problem: null });
  const at = path`/clusters/${clusterId}/connector-plugins/${plugin}/validate`;
  const config = { ...draft.config, [CLASS]: plugin, ...(draft.name === "" ? {} : { name: draft.name }) };
  const body = JSON.stringify({ config, ...(connector === null ? {} : { connector }) });
  const ask = async (): Promise<Validation> => {
    const validation = await send<Validation>("POST", at, JSON.parse(body));
    setTold({ of: body, validation, problem: null });
    return validation;
  };
  useEffect(() => {
    let isGone = false;
    const timer = setTimeout(() => {
      send<Validation>("POST", at, JSON.parse(body)).then(
        (validation) => !isGone && setTold({ of: body, validation, problem: null }),
        (error: unknown) => !isGone && setTold((before) => ({ ...before, of: body, problem: sentence(error) })),
      );
    }, PAUSE_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [at, body]);
  return { validation: told.validation, problem: told.problem, isCurrent: told.of === body, ask };
}
