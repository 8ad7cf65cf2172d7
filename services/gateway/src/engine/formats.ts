import { isCalendarDate } from '@lettergate/values/calendar-date'
import { isEmailAddress } from '@lettergate/values/email-address'
import { isDateTime } from '@lettergate/values/moment'
import { isUuid } from '@lettergate/values/uuid'

/** The string formats of the OpenAPI documents, stricter than the standard where a loose value could do harm. */

function webUrl(value: string): URL | null {
  if (value.length > 2_048 || /[\s\\]/.test(value) || !URL.canParse(value)) return null
  const url = new URL(value)
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === ''
    ? url
    : null
}

export const isHttpsUrl = (value: string): boolean => webUrl(value)?.protocol === 'https:'

/** Whether a URL is only scheme, host and port: no path, query, fragment or trailing slash. */
export const isOrigin = (value: string): boolean => /^https?:\/\/[^/?#@]+$/i.test(value) && webUrl(value) !== null

export const formats = {
  email: isEmailAddress,
  'idn-email': isEmailAddress,
  date: isCalendarDate,
  'date-time': isDateTime,
  uuid: isUuid,
  uri: (value: string) => webUrl(value) !== null,
  'https-url': isHttpsUrl,
  origin: isOrigin,
} as const

/** The name of a format in error messages. */
export const formatNames: Readonly<Record<string, string>> = {
  email: 'an email address',
  'idn-email': 'an email address',
  date: 'a date that exists, such as 2026-01-31',
  'date-time': 'a date and time that exists, with an offset, such as 2026-01-31T09:00:00Z',
  uuid: 'a UUID',
  uri: 'an http or https URL without a user or password',
  'https-url': 'an https URL',
  origin: 'an origin such as https://example.com, without path or trailing slash',
}
