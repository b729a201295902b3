// What a registry says of a schema that it would refuse: `{errorType:'...', description:'...', additionalInfo:'...'}` and the like.

export interface Reason {
  /** The registry's name for what is wrong; null where it says so in its own way. */
  kind: string | null;
  text: string;
  where: string | null;
}

export interface Reasons {
  reasons: Reason[];
  /** The version that it does not go with. */
  version: number | null;
}

const REASON = /^\{errorType:(['"])(\w+)\1, (?:category:\[[^\]]*\], )?description:\1([^]*?)\1(?:, additionalInfo:\1([^]*)\1)?\}$/;
const VERSION = /^\{oldSchemaVersion: (\d+)\}$/;
/** What it was compared with, which the page shows elsewhere. */
const OLD_SCHEMA = /^\{(?:oldSchema|validateFields|compatibility): [^]*\}$/;

export function reasonsOf(messages: readonly string[]): Reasons {
  const reasons: Reason[] = [];
  let version: number | null = null;
  for (const message of messages) {
    const found = REASON.exec(message);
    const old = VERSION.exec(message);
    if (found !== null) reasons.push({ kind: found[2] ?? null, text: found[3] ?? "", where: found[4] || null });
    else if (old !== null) version = Number(old[1]);
    else if (!OLD_SCHEMA.test(message)) reasons.push({ kind: null, text: message, where: null });
  }
  return { reasons, version };
}
