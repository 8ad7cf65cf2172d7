/** Control characters and those that change the direction of a line, without the line break. */
// oxlint-disable-next-line no-control-regex
const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/**
 * A text that cannot control the terminal. Names and other values may come from an external form, and could otherwise clear the
 * screen or change what was printed before.
 */
export const printable = (text: string): string => text.replaceAll(unsafe, '\ufffd')

/** The same for a value within one line. */
export const printableLine = (text: string): string => printable(text).replaceAll('\n', '\ufffd')

/** JSON with these characters escaped, so that its values are unchanged. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
