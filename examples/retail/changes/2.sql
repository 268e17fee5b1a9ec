-- Master data moves: keys change, a store closes, the lost item is found.

BEGIN;

-- The web line that had lost its item gets it back: NOT IN is no longer unknown.
UPDATE web_sales SET ws_item_sk = 12 WHERE ws_item_sk IS NULL;

-- Keys change, also under rows that refer to them; two items swap theirs.
UPDATE customer SET c_customer_sk = 300 WHERE c_customer_sk = 20;
UPDATE store_sales SET ss_ticket_number = 1900 WHERE ss_ticket_number = 19;
UPDATE item SET i_item_sk = CASE i_item_sk WHEN 1 THEN 1001 WHEN 2 THEN 1002 END WHERE i_item_sk IN (1, 2);
UPDATE item SET i_item_sk = CASE i_item_sk WHEN 1001 THEN 2 WHEN 1002 THEN 1 END WHERE i_item_sk IN (1001, 1002);

-- A store closes with its sales; its returns stay.
DELETE FROM store WHERE s_store_sk = 10;
DELETE FROM store_sales WHERE ss_store_sk = 10 AND ss_sold_date_sk > 600;
INSERT INTO store VALUES (11, 'store 11', 'CA');
UPDATE store_sales SET ss_store_sk = 11 WHERE ss_store_sk = 10 AND ss_ticket_number % 2 = 0;

-- A class leaves its department, and a new kind hangs below a kind.
UPDATE category SET cat_parent_sk = NULL WHERE cat_sk = 6;
INSERT INTO category VALUES (41, 17, 'kind 41'), (42, 41, 'kind 42');
UPDATE item SET i_category_sk = 42 WHERE i_item_sk IN (30, 31, 32);

UPDATE date_dim SET d_day_name = 'Holiday' WHERE d_date_sk IN (360, 361, 725);
UPDATE customer SET c_state = 'TN' WHERE c_state IS NULL AND c_customer_sk < 100;
UPDATE customer SET c_interests = NULL WHERE c_customer_sk = 13;
UPDATE web_sales SET ws_bill_customer_sk = NULL WHERE ws_order_number IN (1, 2, 3);
UPDATE web_sales SET ws_sales_price = ws_sales_price * 2, ws_quantity = ws_quantity + 1 WHERE ws_order_number BETWEEN 200 AND 206;
INSERT INTO catalog_sales SELECT * FROM catalog_sales WHERE cs_bill_customer_sk IN (1, 2, 3);
DELETE FROM catalog_sales WHERE cs_bill_customer_sk BETWEEN 40 AND 45;
INSERT INTO store_returns
SELECT ss_ticket_number, ss_item_sk, 730, ss_customer_sk, ss_store_sk, 1, 25.50
FROM store_sales
WHERE ss_ticket_number BETWEEN 500 AND 506 AND NOT EXISTS (
    SELECT 1 FROM store_returns WHERE sr_ticket_number = ss_ticket_number AND sr_item_sk = ss_item_sk
);
UPDATE store_returns SET sr_customer_sk = 5 WHERE sr_ticket_number BETWEEN 60 AND 75;
INSERT INTO promotion VALUES (41, 12, 700, 731, 'tv');

COMMIT;
