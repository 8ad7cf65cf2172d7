const canonical = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const anyCase = new RegExp(canonical, 'i')

/** Whether a text is a UUID of RFC 9562, of any version, in either case. */
export const isUuid = (text: string): boolean => anyCase.test(text)

/** Whether a text is a UUID in lower case, the form in which PostgreSQL and this project write them: stored answers are compared as text. */
export const isCanonicalUuid = (text: string): boolean => canonical.test(text)

/** A UUID in lower case; undefined when the text is not a UUID. */
export const parseUuid = (text: string): string | undefined => (isUuid(text) ? text.toLowerCase() : undefined)
