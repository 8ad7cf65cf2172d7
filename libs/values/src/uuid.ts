const canonical = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const anyCase = new RegExp(canonical, 'i')

/** Whether a text is a UUID as RFC 9562 writes them, of any version, in either case. */
export const isUuid = (text: string): boolean => anyCase.test(text)

/** Whether a text is a UUID in lower case, as PostgreSQL and we write them: what we answered before is compared as text. */
export const isCanonicalUuid = (text: string): boolean => canonical.test(text)

/** A UUID in lower case, whatever case it was given in; undefined when it is none. */
export const parseUuid = (text: string): string | undefined => (isUuid(text) ? text.toLowerCase() : undefined)
