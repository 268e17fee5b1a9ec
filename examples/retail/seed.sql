-- A retailer with three channels, in the manner of TPC-DS: the same at every start.

CREATE TABLE date_dim (
    d_date_sk int PRIMARY KEY,
    d_date date NOT NULL,
    d_year int NOT NULL,
    d_qoy int NOT NULL,
    d_moy int NOT NULL,
    d_day_name text NOT NULL
);

CREATE TABLE category (
    cat_sk int PRIMARY KEY,
    cat_parent_sk int,
    cat_name text NOT NULL
);

CREATE TABLE item (
    i_item_sk int PRIMARY KEY,
    i_item_id text NOT NULL,
    i_category_sk int,
    i_brand text,
    i_current_price numeric(7,2)
);

CREATE TABLE store (
    s_store_sk int PRIMARY KEY,
    s_store_name text NOT NULL,
    s_state text
);

CREATE TABLE customer (
    c_customer_sk int PRIMARY KEY,
    c_name text NOT NULL,
    c_birth_year int,
    c_state text,
    c_interests text[]
);

CREATE TABLE promotion (
    p_promo_sk int PRIMARY KEY,
    p_item_sk int NOT NULL,
    p_start_date_sk int NOT NULL,
    p_end_date_sk int NOT NULL,
    p_channel text
);

CREATE TABLE store_sales (
    ss_ticket_number int NOT NULL,
    ss_item_sk int NOT NULL,
    ss_sold_date_sk int,
    ss_customer_sk int,
    ss_store_sk int,
    ss_quantity int,
    ss_sales_price numeric(7,2),
    ss_net_profit numeric(9,2),
    PRIMARY KEY (ss_ticket_number, ss_item_sk)
);

CREATE TABLE store_returns (
    sr_ticket_number int NOT NULL,
    sr_item_sk int NOT NULL,
    sr_returned_date_sk int,
    sr_customer_sk int,
    sr_store_sk int,
    sr_return_quantity int,
    sr_return_amt numeric(7,2),
    PRIMARY KEY (sr_ticket_number, sr_item_sk)
);

CREATE TABLE web_sales (
    ws_order_number int NOT NULL,
    ws_line int NOT NULL,
    ws_item_sk int,
    ws_sold_date_sk int,
    ws_bill_customer_sk int,
    ws_quantity int,
    ws_sales_price numeric(7,2),
    ws_net_profit numeric(9,2),
    PRIMARY KEY (ws_order_number, ws_line)
);

-- The catalog's system has no key: a line keyed in twice is there twice.
CREATE TABLE catalog_sales (
    cs_item_sk int,
    cs_sold_date_sk int,
    cs_bill_customer_sk int,
    cs_quantity int,
    cs_sales_price numeric(7,2),
    cs_net_profit numeric(9,2)
);

INSERT INTO date_dim
SELECT
    n,
    date '2023-12-31' + n,
    extract(year FROM date '2023-12-31' + n),
    extract(quarter FROM date '2023-12-31' + n),
    extract(month FROM date '2023-12-31' + n),
    (ARRAY['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'])[1 + (n - 1) % 7]
FROM generate_series(1, 731) AS n;

-- Four departments, twelve classes below them, twenty-four kinds below those.
INSERT INTO category
SELECT
    n,
    CASE WHEN n <= 4 THEN NULL WHEN n <= 16 THEN 1 + n % 4 ELSE 5 + n % 12 END,
    CASE WHEN n <= 4 THEN 'department ' WHEN n <= 16 THEN 'class ' ELSE 'kind ' END || n
FROM generate_series(1, 40) AS n;

-- Every 17th item belongs nowhere, every 23rd has no price.
INSERT INTO item
SELECT
    n,
    'AAAA' || lpad(n::text, 4, '0'),
    CASE WHEN n % 17 = 0 THEN NULL ELSE 17 + (n * 5) % 24 END,
    CASE WHEN n % 19 = 0 THEN NULL ELSE 'brand ' || 1 + n % 7 END,
    CASE WHEN n % 23 = 0 THEN NULL ELSE (199 + (n * 7919) % 9700) / 100.0 END
FROM generate_series(1, 90) AS n;

INSERT INTO store
SELECT n, 'store ' || n, (ARRAY['TN', 'OH', 'TX', NULL])[1 + n % 4]
FROM generate_series(1, 10) AS n;

-- Interests may be unknown, none, or hold an unknown one.
INSERT INTO customer
SELECT
    n,
    'customer ' || n,
    CASE WHEN n % 13 = 0 THEN NULL ELSE 1940 + (n * 29) % 65 END,
    CASE WHEN n % 11 = 0 THEN NULL ELSE (ARRAY['TN', 'OH', 'TX', 'GA', 'CA'])[1 + n % 5] END,
    CASE
        WHEN n % 10 = 0 THEN NULL
        WHEN n % 10 = 1 THEN ARRAY[]::text[]
        WHEN n % 10 = 2 THEN ARRAY['music', NULL]
        ELSE (ARRAY['books', 'music', 'sports', 'garden', 'games'])[1 + n % 3 : 1 + n % 5]
    END
FROM generate_series(1, 200) AS n;

INSERT INTO promotion
SELECT n, 1 + (n * 7) % 90, (n * 23) % 650, (n * 23) % 650 + 20 + n % 90, (ARRAY['mail', 'tv', NULL])[1 + n % 3]
FROM generate_series(1, 40) AS n;

-- One to two lines a ticket; some without a date, a customer, a store or a price.
INSERT INTO store_sales
SELECT
    t.n,
    1 + (t.n * 31 + l.n * 17) % 90,
    CASE WHEN t.n % 61 = 0 THEN NULL ELSE 1 + (t.n * 13) % 731 END,
    CASE WHEN t.n % 29 = 0 THEN NULL ELSE 1 + (t.n * 37) % 160 END,
    CASE WHEN t.n % 41 = 0 THEN NULL ELSE 1 + (t.n * 3) % 10 END,
    CASE WHEN (t.n + l.n) % 53 = 0 THEN NULL ELSE 1 + (t.n + l.n) % 8 END,
    CASE WHEN (t.n + l.n) % 47 = 0 THEN NULL ELSE (99 + (t.n * 7919 + l.n * 101) % 9000) / 100.0 END,
    ((t.n * 104729 + l.n) % 20000 - 6000) / 100.0
FROM generate_series(1, 900) AS t(n)
CROSS JOIN LATERAL generate_series(1, 1 + t.n % 2) AS l(n);

INSERT INTO store_returns
SELECT
    ss_ticket_number,
    ss_item_sk,
    least(ss_sold_date_sk + 3 + ss_ticket_number % 40, 731),
    ss_customer_sk,
    ss_store_sk,
    1 + ss_ticket_number % 3,
    CASE WHEN ss_ticket_number % 31 = 0 THEN NULL ELSE ss_sales_price END
FROM store_sales
WHERE (ss_ticket_number * 7 + ss_item_sk) % 6 = 0;

-- Items 71 to 90 are not sold on the web; one line has lost its item.
INSERT INTO web_sales
SELECT
    t.n,
    l.n,
    CASE WHEN t.n = 77 AND l.n = 1 THEN NULL ELSE 1 + (t.n * 29 + l.n * 11) % 70 END,
    CASE WHEN t.n % 67 = 0 THEN NULL ELSE 1 + (t.n * 11) % 731 END,
    CASE WHEN t.n % 31 = 0 THEN NULL ELSE 1 + (t.n * 41) % 140 END,
    1 + (t.n + l.n) % 6,
    CASE WHEN (t.n + l.n) % 43 = 0 THEN NULL ELSE (149 + (t.n * 6007 + l.n * 83) % 8000) / 100.0 END,
    ((t.n * 15859 + l.n) % 16000 - 4000) / 100.0
FROM generate_series(1, 420) AS t(n)
CROSS JOIN LATERAL generate_series(1, 1 + t.n % 2) AS l(n);

-- Every 12th line twice.
INSERT INTO catalog_sales
SELECT
    CASE WHEN n % 59 = 0 THEN NULL ELSE 1 + (n * 23) % 80 END,
    CASE WHEN n % 71 = 0 THEN NULL ELSE 1 + (n * 17) % 731 END,
    CASE WHEN n % 37 = 0 THEN NULL ELSE 1 + (n * 43) % 150 END,
    1 + n % 5,
    (99 + (n * 3571) % 7000) / 100.0,
    ((n * 32452) % 14000 - 3000) / 100.0
FROM generate_series(1, 500) AS n
CROSS JOIN LATERAL generate_series(1, CASE WHEN n % 12 = 0 THEN 2 ELSE 1 END);
