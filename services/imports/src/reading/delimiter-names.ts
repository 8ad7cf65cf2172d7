const names: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }

/** What stands between the cells of a file, for messages. */
export const delimiterName = (delimiter: string): string => names[delimiter] ?? JSON.stringify(delimiter)
