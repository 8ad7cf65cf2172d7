-- Runs once, in the new database, after the roles are made. psql reads the passwords from secrets/database.env.
\getenv automations AUTOMATIONS_PASSWORD
\getenv campaigns CAMPAIGNS_PASSWORD
\getenv contacts CONTACTS_PASSWORD
\getenv identity IDENTITY_PASSWORD
\getenv imports IMPORTS_PASSWORD
\getenv sending SENDING_PASSWORD
\getenv webhooks WEBHOOKS_PASSWORD
\getenv lettergate_migrator LETTERGATE_MIGRATOR_PASSWORD
alter role automations password :'automations';
alter role campaigns password :'campaigns';
alter role contacts password :'contacts';
alter role identity password :'identity';
alter role imports password :'imports';
alter role sending password :'sending';
alter role webhooks password :'webhooks';
alter role lettergate_migrator password :'lettergate_migrator';
