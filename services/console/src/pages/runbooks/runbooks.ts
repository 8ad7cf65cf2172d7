const files = import.meta.glob<string>('../../../../../docs/runbooks/*.md', { query: '?raw', import: 'default' })

/** Reads each runbook as Markdown, by its name, which is the code of its alert. Each file is loaded when it is read. */
export const runbooks: ReadonlyMap<string, () => Promise<string>> = new Map(
  Object.entries(files).map(([path, read]) => [path.slice(path.lastIndexOf('/') + 1, -'.md'.length), read]),
)
