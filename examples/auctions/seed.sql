-- An auction house in the manner of Nexmark: the same at every start.

CREATE TABLE person (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    city text,
    state text,
    referred_by bigint,
    date_time timestamptz NOT NULL
);

CREATE TABLE auction (
    id bigint PRIMARY KEY,
    item_name text NOT NULL,
    tags text[],
    initial_bid bigint NOT NULL,
    reserve bigint,
    date_time timestamptz NOT NULL,
    expires timestamptz NOT NULL,
    seller bigint NOT NULL,
    category int
);

-- Bids are a log without a key: a bid that was sent twice is there twice.
CREATE TABLE bid (
    auction bigint NOT NULL,
    bidder bigint,
    price bigint NOT NULL,
    channel text,
    url text,
    date_time timestamptz NOT NULL,
    extra text
);

CREATE TABLE category (
    id int PRIMARY KEY,
    name text NOT NULL
);

-- Every third person came by themselves, the others were brought along by one who was there before.
INSERT INTO person
SELECT
    n,
    (ARRAY['Ada', 'Bea', 'Cy', 'Dan', 'Eve'])[1 + n % 5] || ' ' || n,
    CASE WHEN n % 14 = 0 THEN NULL ELSE (ARRAY['Portland', 'Boise', 'Phoenix', 'Seattle'])[1 + n % 4] END,
    CASE WHEN n % 14 = 0 THEN NULL ELSE (ARRAY['OR', 'ID', 'AZ', 'WA'])[1 + n % 4] END,
    CASE WHEN n % 3 = 1 THEN NULL ELSE 1 + n / 3 END,
    timestamptz '2025-06-01 00:00:00+00' + n * interval '4 minutes'
FROM generate_series(1, 120) AS n;

INSERT INTO auction
SELECT
    n,
    'item ' || n % 60,
    CASE WHEN n % 9 = 0 THEN NULL WHEN n % 9 = 1 THEN ARRAY[]::text[] ELSE (ARRAY['old', 'rare', 'blue', 'signed'])[1 + n % 2 : 1 + n % 4] END,
    100 + (n * 131) % 900,
    CASE WHEN n % 12 = 0 THEN NULL ELSE 1000 + (n * 263) % 2500 END,
    timestamptz '2025-06-01 00:05:00+00' + n * interval '2 minutes',
    timestamptz '2025-06-01 00:05:00+00' + n * interval '2 minutes' + (15 + (n * 7) % 40) * interval '1 minute',
    1 + (n * 17) % 90,
    CASE WHEN n % 20 = 0 THEN NULL ELSE 10 + n % 6 END
FROM generate_series(1, 240) AS n;

-- A bid every seventeen seconds on one of the auctions opened lately, a few too late; every 40th bid was sent twice.
INSERT INTO bid
SELECT
    greatest(1, n / 7 - (n * 5) % 19),
    CASE WHEN n % 83 = 0 THEN NULL ELSE 1 + (n * n % 211) % 110 END,
    120 + (n * 7919) % 3900,
    CASE WHEN n % 45 = 0 THEN NULL ELSE (ARRAY['apple', 'google', 'facebook', 'baidu', 'channel-' || n % 9])[1 + n % 5] END,
    CASE WHEN n % 33 = 0 THEN NULL ELSE 'https://www.nexmark.com/' || chr(97 + n % 5) || '/' || chr(97 + n % 7) || '/' || n % 11 || '/item.htm?query=1&channel_id=' || n % 9 END,
    timestamptz '2025-06-01 00:06:00+00' + n * interval '17 seconds',
    CASE WHEN n % 25 = 0 THEN NULL ELSE repeat('c', n % 4) || repeat('ab', n % 3) END
FROM generate_series(1, 1700) AS n
CROSS JOIN LATERAL generate_series(1, CASE WHEN n % 40 = 0 THEN 2 ELSE 1 END);

-- Category 15 is used and not known.
INSERT INTO category
SELECT n, (ARRAY['art', 'books', 'coins', 'dolls', 'early prints'])[n - 9]
FROM generate_series(10, 14) AS n;
