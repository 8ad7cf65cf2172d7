/** HTTP Basic as the provider wants it. The value goes into the request and nowhere else. */
export const authorization = (apiKey: string): string => `Basic ${Buffer.from(`api:${apiKey}`).toString('base64')}`
